/** Live memory over time, and who holds it at the peak. */
import { useMemo } from 'preact/hooks';
import type { Line, Memory } from '../../generated/report';
import { duration, size } from '../format';
import { memoryParts } from '../model/parts';
import type { Page } from '../page';
import { placeColumn, shareColumn, sizeColumn, textColumn } from '../parts/columns';
import { MemoryChart } from '../parts/memory-chart';
import { PlaceLink } from '../parts/place';
import { Legend, StackedBar } from '../parts/stacked-bar';
import { DataTable, type Column } from '../parts/table';
import { text } from '../strings';

export function MemorySection({ page }: { page: Page }) {
  const { memory } = page.report;
  if (!memory) return <p>{text('noMemory')}</p>;
  return (
    <>
      <p>
        <strong>{text('peakOf', size(memory.peak_bytes))}</strong>
        {memory.peak_line && (
          <>
            {' · '}
            {text('peakAt', '')}
            <PlaceLink page={page} place={memory.peak_line} />
          </>
        )}
        {memory.reserved_bytes !== null && ` · ${text('reserved', size(memory.reserved_bytes))}`}
        {memory.before_bytes ? ` · ${text('before', size(memory.before_bytes))}` : ''}
      </p>
      {memory.timeline.length > 1 && (
        <MemoryChart points={memory.timeline} label={spoken(memory)} />
      )}
      {memory.categories && <Peak memory={memory} categories={memory.categories} />}
      <Owners page={page} peak={memory.peak_bytes} />
    </>
  );
}

function spoken({ timeline, peak_bytes: peak }: Memory): string {
  const [first, last] = [timeline[0], timeline.at(-1)];
  const highest = timeline.reduce((best, point) =>
    point.live_bytes > best.live_bytes ? point : best,
  );
  if (!first || !last) return '';
  return text(
    'memoryChart',
    duration(last.at_ms - first.at_ms),
    size(first.live_bytes),
    size(peak),
    duration(highest.at_ms),
    size(last.live_bytes),
  );
}

interface PeakProps {
  memory: Memory;
  categories: NonNullable<Memory['categories']>;
}

function Peak({ memory, categories }: PeakProps) {
  const parts = memoryParts.map(({ name, label, meaning }) => ({
    name,
    label: text(label),
    meaning: text(meaning),
    share: memory.peak_bytes > 0 ? categories[name] / memory.peak_bytes : 0,
    amount: size(categories[name]),
  }));
  const named = parts.filter((part) => part.share > 0);
  return (
    <>
      <h3>{text('ownersAtPeak')}</h3>
      <StackedBar
        parts={parts}
        label={named.map((part) => `${part.label} ${part.amount}`).join(', ')}
      />
      <Legend
        parts={parts}
        caption={text('ownersAtPeak')}
        first={text('category')}
        amount={text('size')}
      />
    </>
  );
}

function Owners({ page, peak }: { page: Page; peak: number }) {
  const rows = useMemo(
    () => page.report.lines.filter((line) => (line.live_at_peak_bytes ?? 0) > 0),
    [page],
  );
  const columns = useMemo(() => ownerColumns(page, peak), [page]);
  return (
    <>
      <h3>{text('ownersByLine')}</h3>
      {rows.length === 0 ? (
        <p>{text('noOwners')}</p>
      ) : (
        <DataTable
          name={text('ownersByLine')}
          rows={rows}
          columns={columns}
          order={{ column: 'size', descending: true }}
          searched={(line) => `${page.where(line)} ${line.function}`}
          id={({ file, line }) => `${line}:${file}`}
        />
      )}
    </>
  );
}

function ownerColumns(page: Page, peak: number): Column<Line>[] {
  return [
    placeColumn(page, 'line', text('line'), (line) => line),
    textColumn('function', text('function'), (line) => line.function),
    shareColumn<Line>((line) => line.live_at_peak_bytes, peak),
    sizeColumn('size', text('size'), (line) => line.live_at_peak_bytes),
    ...memoryParts.map(({ name, label }) =>
      sizeColumn<Line>(name, text(label), (line) => line.categories?.[name] ?? null),
    ),
  ];
}
