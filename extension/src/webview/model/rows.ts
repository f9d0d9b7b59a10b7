/** Sorting and filtering of a table's rows. */
import { matcher } from './search';

/** null is "not measured" and comes last, whichever way a column is sorted. */
export type Cell = number | string | null;

export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

export function sorted<Row>(
  rows: readonly Row[],
  value: (row: Row) => Cell,
  descending: boolean,
): Row[] {
  const sign = descending ? -1 : 1;
  const keyed = rows.map((row, index) => ({ row, key: value(row), index }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) {
      return Number(a.key === null) - Number(b.key === null) || a.index - b.index;
    }
    return sign * compare(a.key, b.key) || a.index - b.index;
  });
  return keyed.map(({ row }) => row);
}

/** One for all: making it takes longer than many comparisons. */
const collator = new Intl.Collator('en', { numeric: true });

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

export function filtered<Row>(
  rows: readonly Row[],
  query: string,
  text: (row: Row) => string,
): readonly Row[] {
  const matches = matcher(query);
  return matches ? rows.filter((row) => matches(text(row))) : rows;
}
