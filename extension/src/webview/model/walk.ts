/** From span to span with the arrow keys. */
import type { Direction } from './flame';
import { firstAfter, type Row, type SpanRef, type Timeline } from './timeline';

/** The neighbour of `from`; the first span of all where nothing is selected; `from` at an edge. */
export function step(
  timeline: Timeline,
  from: SpanRef | null,
  direction: Direction,
): SpanRef | null {
  const first = timeline.lanes.find(({ size }) => size > 0);
  if (!from) return first ? firstOf(first.index, first.rows) : null;
  const lane = timeline.lanes[from.lane];
  const row = lane?.rows[lane.depth[from.span] ?? -1];
  if (!lane || !row) return from;
  if (direction === 'left' || direction === 'right') {
    const at = row.spans.indexOf(from.span) + (direction === 'left' ? -1 : 1);
    const next = row.spans[at];
    return next === undefined ? from : { lane: from.lane, span: next };
  }
  const middle = ((lane.start[from.span] ?? 0) + (lane.end[from.span] ?? 0)) / 2;
  const rows = timeline.lanes.flatMap(({ index, rows: own }) =>
    own.filter(({ spans }) => spans.length > 0).map((candidate) => ({ index, row: candidate })),
  );
  const here = rows.findIndex((candidate) => candidate.row === row);
  const other = rows[here + (direction === 'up' ? -1 : 1)];
  if (!other) return from;
  // Downwards from a parent the first of its children is what a person expects, else the nearest.
  const inside = direction === 'down' && other.index === from.lane;
  const time = inside ? (lane.start[from.span] ?? 0) : middle;
  return { lane: other.index, span: nearest(other.row, time) };
}

function firstOf(lane: number, rows: readonly Row[]): SpanRef | null {
  const span = rows.find(({ spans }) => spans.length > 0)?.spans[0];
  return span === undefined ? null : { lane, span };
}

function nearest(row: Row, time: number): number {
  const after = firstAfter(row.start, time);
  const before = Math.max(0, after - 1);
  const covers = (row.reached[before] ?? -Infinity) >= time && after > 0;
  const next = Math.min(after, row.spans.length - 1);
  return row.spans[covers ? before : closer(row, before, next, time)] ?? 0;
}

function closer(row: Row, before: number, next: number, time: number): number {
  const behind = Math.abs(time - (row.reached[before] ?? 0));
  return Math.abs((row.start[next] ?? 0) - time) <= behind ? next : before;
}

/** Spans that the host span `launcher` launched. At most `most`, in the order of the lanes. */
export function launchedFrom(timeline: Timeline, launcher: SpanRef, most: number): SpanRef[] {
  const found: SpanRef[] = [];
  for (const lane of timeline.lanes) {
    if (!lane.launchedBy || lane.launcher !== launcher.lane) continue;
    for (let span = 0; span < lane.size && found.length < most; span += 1) {
      if (lane.launchedBy[span] === launcher.span) found.push({ lane: lane.index, span });
    }
  }
  return found;
}

/** The host span that launched this one; null: it is on the host, or not known. */
export function launcherOf(timeline: Timeline, { lane, span }: SpanRef): SpanRef | null {
  const of = timeline.lanes[lane];
  const by = of?.launchedBy?.[span] ?? -1;
  return of && by >= 0 ? { lane: of.launcher, span: by } : null;
}

export interface Found {
  readonly spans: number;
  /** µs, added up. */
  readonly time: number;
  /** The matches in the order of lanes and time, at most `most` of them. */
  readonly refs: readonly SpanRef[];
}

/** Spans whose name is marked in `names`. */
export function findSpans(timeline: Timeline, names: Uint8Array, most: number): Found {
  const refs: SpanRef[] = [];
  let [spans, time] = [0, 0];
  for (const lane of timeline.lanes) {
    for (let span = 0; span < lane.size; span += 1) {
      if (!names[lane.name[span] ?? -1]) continue;
      spans += 1;
      time += (lane.end[span] ?? 0) - (lane.start[span] ?? 0);
      if (refs.length < most) refs.push({ lane: lane.index, span });
    }
  }
  return { spans, time, refs };
}
