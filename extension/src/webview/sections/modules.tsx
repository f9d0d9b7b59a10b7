/** The model's modules, with what each costs in forward and backward. */
import { useMemo } from 'preact/hooks';
import { modulesOf, type ModuleCost } from '../model/modules';
import type { Page } from '../page';
import { placeColumn, shareColumn, textColumn, timeColumn } from '../parts/columns';
import { DataTable, type Column } from '../parts/table';
import { text } from '../strings';

export function Modules({ page }: { page: Page }) {
  const modules = useMemo(() => modulesOf(page.charts), [page]);
  const columns = useMemo(() => columnsOf(page), [page]);
  if (!modules || modules.length === 0) return <p>{text('noModules')}</p>;
  return (
    <DataTable
      name={text('modules')}
      rows={modules}
      columns={columns}
      order={{ column: 'total', descending: true }}
      searched={({ path }) => path}
      id={({ path }) => path}
    />
  );
}

function columnsOf(page: Page): Column<ModuleCost>[] {
  const step = page.report.step_ms?.median;
  return [
    textColumn('path', text('module'), ({ path }) => path),
    shareColumn<ModuleCost>((row) => row.total_ms, step),
    timeColumn('total', text('total'), (row) => row.total_ms),
    timeColumn('self', text('self'), (row) => row.self_ms),
    placeColumn(page, 'at', text('definedAt'), ({ place }) => place),
  ];
}
