/** A tree of costs laid out from 0 to 1. */
import type { Tree } from '../../generated/report';

export interface Flame {
  readonly size: number;
  /** ms per step: of the node alone, and with all below it. */
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Where it begins, in ms from the root's begin. */
  readonly start: Float64Array;
  readonly depth: Int32Array;
  readonly parent: Int32Array;
  readonly name: Int32Array;
  readonly place: Int32Array;
  /** Children, the most expensive first. */
  readonly children: readonly (readonly number[])[];
  readonly height: number;
}

export function layOut(columns: Tree): Flame {
  const size = Math.min(columns.parent.length, columns.name.length, columns.self_ms.length);
  const self = Float64Array.from({ length: size }, (_, at) =>
    Math.max(0, columns.self_ms[at] ?? 0),
  );
  const total = self.slice();
  const start = new Float64Array(size);
  const depth = new Int32Array(size);
  // Pre-order: a parent stands before its children. What claims otherwise hangs on the root.
  const parent = Int32Array.from({ length: size }, (_, at) =>
    Math.min(columns.parent[at] ?? -1, at - 1),
  );
  const children: number[][] = Array.from({ length: size }, () => []);
  let height = 0;
  for (let at = 0; at < size; at += 1) {
    const above = parent[at] ?? -1;
    if (above < 0) continue;
    depth[at] = (depth[above] ?? 0) + 1;
    height = Math.max(height, depth[at] ?? 0);
    children[above]?.push(at);
  }
  for (let at = size - 1; at > 0; at -= 1) {
    const above = parent[at] ?? -1;
    if (above >= 0) total[above] = (total[above] ?? 0) + (total[at] ?? 0);
  }
  for (let at = 0; at < size; at += 1) {
    children[at]?.sort((a, b) => (total[b] ?? 0) - (total[a] ?? 0));
    let next = start[at] ?? 0;
    for (const child of children[at] ?? []) {
      start[child] = next;
      next += total[child] ?? 0;
    }
  }
  const int = (values: readonly number[]) =>
    Int32Array.from({ length: size }, (_, at) => values[at] ?? -1);
  const [name, place] = [int(columns.name), int(columns.place)];
  return { size, self, total, start, depth, parent, name, place, children, height: height + 1 };
}

/** From the root to `node`. */
export function pathTo(flame: Flame, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = flame.parent[at] ?? -1) path.unshift(at);
  return path;
}

export type Direction = 'up' | 'down' | 'left' | 'right';

/** The neighbour of `node` in the picture; itself where there is none. */
export function neighbour(flame: Flame, node: number, direction: Direction): number {
  const above = flame.parent[node] ?? -1;
  if (direction === 'up') return above >= 0 ? above : node;
  if (direction === 'down') return flame.children[node]?.[0] ?? node;
  const siblings = flame.children[above] ?? [];
  const at = siblings.indexOf(node) + (direction === 'left' ? -1 : 1);
  return siblings[at] ?? node;
}
