/** Every line that costs. */
import { useMemo } from 'preact/hooks';
import type { Line } from '../../generated/report';
import { duration } from '../format';
import type { Page } from '../page';
import {
  countColumn,
  placeColumn,
  shareColumn,
  sizeColumn,
  textColumn,
  timeColumn,
} from '../parts/columns';
import { DataTable, type Column } from '../parts/table';
import { text } from '../strings';

const idOf = ({ file, line }: { file: string; line: number }) => `${line}:${file}`;

export function Lines({ page }: { page: Page }) {
  const { lines, step_ms: step } = page.report;
  const unattributed = page.report.unattributed.cost_ms;
  const columns = useMemo(() => columnsOf(page), [page]);
  if (lines.length === 0) return <p>{text('noLines')}</p>;
  const timed = step !== null;
  return (
    <>
      <DataTable
        name={text('lines')}
        rows={lines}
        columns={columns}
        order={{ column: timed ? 'cost' : 'peak', descending: true }}
        searched={(line: Line) => `${page.where(line)} ${line.function}`}
        id={idOf}
        focused={page.focused && idOf(page.focused)}
        wish={page.focused}
      />
      {unattributed !== null && <p class="muted">{text('linesAdd', duration(unattributed))}</p>}
    </>
  );
}

function columnsOf(page: Page): Column<Line>[] {
  const { step_ms: step } = page.report;
  return [
    placeColumn(page, 'line', text('line'), (line) => line),
    {
      ...textColumn<Line>('function', text('function'), (line) => line.function),
      show: (line) => (
        <span class="text">
          {line.function}
          {!line.exact && (
            <span class="badge" title={text('wholeFunctionMeans')}>
              {text('wholeFunction')}
            </span>
          )}
        </span>
      ),
    },
    shareColumn<Line>((line) => line.cost_ms, step?.median),
    timeColumn('cost', text('cost'), (line) => line.cost_ms),
    timeColumn('forward', text('forward'), (line) => line.forward_ms),
    timeColumn('backward', text('backward'), (line) => line.backward_ms),
    timeColumn('host', text('host'), (line) => line.host_ms),
    timeColumn('waits', text('waits'), ({ wait_ms: waits }) => {
      const known = Object.values(waits).filter((wait): wait is number => typeof wait === 'number');
      return known.length > 0 ? known.reduce((sum, wait) => sum + wait, 0) : null;
    }),
    timeColumn('idle', text('deviceIdle'), (line) => line.device_idle_ms),
    timeColumn('workers', text('workers'), (line) => line.worker_ms),
    sizeColumn('peak', text('atPeak'), (line) => line.live_at_peak_bytes),
    countColumn('calls', text('calls'), (line) => line.calls),
    textColumn('regime', text('regime'), ({ regime }) => regime && text(regime)),
  ];
}
