/** A table that is sorted by its heads, filtered by a text, and drawn in part where it is long. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count } from '../format';
import { filtered, sorted, type Cell, type Order } from '../model/rows';
import { text } from '../strings';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly numeric?: boolean;
  value(row: Row): Cell;
  /** What is shown; a value of null is "not measured" without it. */
  show(row: Row): ComponentChildren;
  /** 0 to 1: drawn as a bar behind the number. */
  bar?(row: Row): number | null;
}

interface Props<Row> {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly order: Order;
  /** What the filter looks at. */
  readonly searched: (row: Row) => string;
  readonly id: (row: Row) => string;
  /** The `id` of the row to bring to the reader. */
  readonly focused?: string | null;
  /** Changes with each wish to see it, also the same row again. */
  readonly wish?: unknown;
  readonly filterable?: boolean;
}

/** More rows at once make a page slow and are no use to a reader. */
const PAGE = 50;
const MORE = 200;

export function DataTable<Row>(props: Props<Row>) {
  const { name, rows, searched, id, focused = null, wish = null, filterable = true } = props;
  const columns = useMemo(() => measured(props.columns, rows), [props.columns, rows]);
  const [order, setOrder] = useState(props.order);
  const [query, setQuery] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const body = useRef<HTMLTableSectionElement>(null);

  const matching = useMemo(() => {
    const column = columns.find((candidate) => candidate.id === order.column);
    const kept = filtered(rows, query, searched);
    return column ? sorted(kept, (row) => column.value(row), order.descending) : kept;
  }, [rows, columns, query, order]);

  useEffect(() => {
    if (focused === null) return;
    setQuery('');
    const at = sorted(rows, valueOf(columns, order), order.descending).findIndex(
      (row) => id(row) === focused,
    );
    if (at >= limit) setLimit(at + 1);
  }, [focused, wish]);
  useEffect(() => {
    const row = body.current?.querySelector<HTMLElement>('tr.focused');
    row?.scrollIntoView({ block: 'center', behavior: 'instant' });
    row?.focus({ preventScroll: true });
  }, [focused, wish, limit]);

  // A button for the last few is more work than they are.
  const shown = matching.length <= limit + PAGE / 2 ? matching : matching.slice(0, limit);
  const left = matching.length - shown.length;
  return (
    <div class="table">
      {filterable && rows.length > 1 && (
        <div class="table-tools">
          <input
            type="search"
            value={query}
            placeholder={text('filterShort')}
            aria-label={text('filter', name)}
            onInput={(event) => {
              setQuery(event.currentTarget.value);
              setLimit(PAGE);
            }}
          />
          <span class="muted" role="status">
            {text(
              query ? 'rowsMatching' : 'rowsShown',
              count(shown.length),
              count(matching.length),
            )}
          </span>
        </div>
      )}
      <div class="scroll" tabIndex={0} role="group" aria-label={name}>
        <table class="data">
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.id} column={column} order={order} sort={setOrder} />
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {shown.map((row) => (
              <TableRow
                key={id(row)}
                row={row}
                columns={columns}
                focused={focused !== null && id(row) === focused}
              />
            ))}
          </tbody>
        </table>
      </div>
      {matching.length === 0 && <p class="muted">{text('noRows')}</p>}
      {left > 0 && (
        <button
          type="button"
          class="more"
          onClick={() => {
            setLimit(limit + MORE);
          }}
        >
          {text('showMore', count(Math.min(left, MORE)))}
        </button>
      )}
    </div>
  );
}

/** A column in which nothing was measured says nothing. */
function measured<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  return columns.filter((column) => rows.some((row) => column.value(row) !== null));
}

function valueOf<Row>(columns: readonly Column<Row>[], order: Order): (row: Row) => Cell {
  const column = columns.find(({ id }) => id === order.column);
  return (row) => column?.value(row) ?? null;
}

interface HeadProps<Row> {
  column: Column<Row>;
  order: Order;
  sort: (order: Order) => void;
}

function Head<Row>({ column, order, sort }: HeadProps<Row>) {
  const active = order.column === column.id;
  const direction = order.descending ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      class={column.numeric ? 'number' : undefined}
      aria-sort={active ? direction : 'none'}
    >
      <button
        type="button"
        onClick={() => {
          // Of numbers the largest are looked for, of names the first.
          const descending = active ? !order.descending : Boolean(column.numeric);
          sort({ column: column.id, descending });
        }}
      >
        {column.title}
        <span class="arrow" aria-hidden="true">
          {active ? (order.descending ? '▾' : '▴') : ''}
        </span>
      </button>
    </th>
  );
}

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  focused: boolean;
}

function TableRow<Row>({ row, columns, focused }: RowProps<Row>) {
  return (
    <tr
      class={focused ? 'focused' : undefined}
      tabIndex={focused ? -1 : undefined}
      aria-current={focused ? 'true' : undefined}
    >
      {columns.map((column) => {
        const bar = column.bar?.(row) ?? null;
        const value = column.value(row);
        return (
          <td key={column.id} class={classOf(column, value)}>
            {bar !== null && (
              <span class="amount-bar" aria-hidden="true">
                <span style={{ width: `${100 * Math.min(1, Math.max(0, bar))}%` }} />
              </span>
            )}
            {value === null ? <NotMeasured /> : column.show(row)}
          </td>
        );
      })}
    </tr>
  );
}

function classOf<Row>(column: Column<Row>, value: Cell): string | undefined {
  const classes = [
    column.numeric ? 'number' : '',
    column.bar ? 'barred' : '',
    // A table is read for what stands out.
    column.numeric && value === 0 ? 'zero' : '',
  ];
  return classes.filter(Boolean).join(' ') || undefined;
}

export const NotMeasured = () => (
  <span class="muted" title={text('notMeasured')}>
    <span aria-hidden="true">–</span>
    <span class="hidden">{text('notMeasured')}</span>
  </span>
);
