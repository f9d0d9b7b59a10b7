/** Modules as rows: one per module path, with what it costs alone and with all inside it. */
import type { ChartPlace, Charts } from '../../generated/report';
import { layOut, pathTo } from './flame';

export interface ModuleCost {
  readonly path: string;
  readonly self_ms: number;
  readonly total_ms: number;
  readonly place: ChartPlace | null;
}

/** null: modules were not recorded. */
export function modulesOf(charts: Charts | null | undefined): ModuleCost[] | null {
  const columns = charts?.flame?.by_module;
  if (!charts || !columns) return null;
  const flame = layOut(columns);
  const nameOf = (node: number) => charts.names[flame.name[node] ?? -1] ?? '';
  return Array.from({ length: flame.size }, (_, node) => node)
    .filter((node) => (flame.parent[node] ?? -1) >= 0)
    .map((node) => ({
      // The root is the step itself, which every path would begin with.
      path: pathTo(flame, node).slice(1).map(nameOf).join('.'),
      self_ms: flame.self[node] ?? 0,
      total_ms: flame.total[node] ?? 0,
      place: charts.places[flame.place[node] ?? -1] ?? null,
    }));
}
