/** Operators over all lines. */
import { useMemo } from 'preact/hooks';
import { operatorsOf, type Operator } from '../model/operators';
import type { Page } from '../page';
import { countColumn, placeColumn, textColumn, timeColumn } from '../parts/columns';
import { DataTable, type Column } from '../parts/table';
import { text } from '../strings';

export function Operators({ page }: { page: Page }) {
  const operators = useMemo(() => operatorsOf(page.report), [page]);
  const columns = useMemo(() => columnsOf(page, operators), [page]);
  if (operators.length === 0) return <p>{text('noOperators')}</p>;
  return (
    <DataTable
      name={text('operators')}
      rows={operators}
      columns={columns}
      order={{ column: 'work', descending: true }}
      searched={({ name, at }) => `${name} ${at ? page.where(at) : ''}`}
      id={({ name }) => name}
    />
  );
}

function columnsOf(page: Page, operators: readonly Operator[]): Column<Operator>[] {
  const all = operators.reduce((sum, { work_ms: work }) => sum + work, 0);
  return [
    textColumn('name', text('operator'), ({ name }) => name),
    {
      ...timeColumn<Operator>('work', text('work'), (operator) => operator.work_ms),
      bar: ({ work_ms: work }) => (all > 0 ? work / all : null),
    },
    timeColumn('backward', text('backward'), (operator) => operator.backward_ms),
    countColumn('calls', text('calls'), ({ calls }) => calls),
    placeColumn(page, 'at', text('mostlyAt'), ({ at }) => at),
    countColumn('lines', text('lines'), ({ lines }) => lines),
    textColumn('shapes', text('shapes'), ({ shapes }) => shapes),
    textColumn('dtypes', text('dtypes'), ({ dtypes }) => dtypes),
  ];
}
