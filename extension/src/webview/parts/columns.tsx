/** Kinds of columns that several tables have. */
import { count, duration, share, size } from '../format';
import type { Page } from '../page';
import { text } from '../strings';
import { PlaceLink } from './place';
import type { Column } from './table';

type Measure<Row> = (row: Row) => number | null;

const numeric = <Row,>(
  id: string,
  title: string,
  value: Measure<Row>,
  write: (value: number) => string,
): Column<Row> => ({
  id,
  title,
  numeric: true,
  value,
  show: (row) => write(value(row) ?? 0),
});

export const timeColumn = <Row,>(id: string, title: string, value: Measure<Row>) =>
  numeric(id, title, value, duration);

export const sizeColumn = <Row,>(id: string, title: string, value: Measure<Row>) =>
  numeric(id, title, value, size);

export const countColumn = <Row,>(id: string, title: string, value: Measure<Row>) =>
  numeric(id, title, value, count);

/** A share of `whole`, with a bar. */
export function shareColumn<Row>(
  value: Measure<Row>,
  whole: number | null | undefined,
): Column<Row> {
  const part: Measure<Row> = (row) => {
    const own = value(row);
    return own === null || !whole ? null : own / whole;
  };
  return { ...numeric('share', text('share'), part, share), bar: part };
}

export const textColumn = <Row,>(
  id: string,
  title: string,
  value: (row: Row) => string | null,
): Column<Row> => ({ id, title, value, show: (row) => <span class="text">{value(row)}</span> });

interface Placed {
  readonly file: string;
  readonly line: number;
}

/** Sorted by file, then by line. */
export const placeColumn = <Row,>(
  page: Page,
  id: string,
  title: string,
  place: (row: Row) => Placed | null,
): Column<Row> => ({
  id,
  title,
  value: (row) => {
    const at = place(row);
    return at && `${at.file}:${at.line}`;
  },
  show: (row) => {
    const at = place(row);
    return at && <PlaceLink page={page} place={at} />;
  },
});
