/** A recorded step as rows of spans that can be searched by time. */
import type { Lane as LaneColumns, Timeline as TimelineColumns } from '../../generated/report';

/** Spans of one lane at one depth, sorted by their start. */
export interface Row {
  readonly depth: number;
  /** Indices into the lane's columns. */
  readonly spans: Int32Array;
  readonly start: Float64Array;
  /** The latest end so far, so that it only rises even where spans overlap. */
  readonly reached: Float64Array;
}

export interface Lane {
  readonly index: number;
  readonly kind: LaneColumns['kind'];
  readonly title: string;
  readonly thread: number | null;
  readonly size: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly depth: Int32Array;
  readonly name: Int32Array;
  readonly place: Int32Array;
  readonly launchedBy: Int32Array | null;
  /** Index of the lane that `launchedBy` points into; -1: none. */
  readonly launcher: number;
  readonly rows: readonly Row[];
}

export interface Timeline {
  readonly span: number;
  readonly lanes: readonly Lane[];
  readonly size: number;
}

/** Which span: its lane and its index in there. */
export interface SpanRef {
  readonly lane: number;
  readonly span: number;
}

/** Rows deeper than this are drawn as the deepest: recursion has no bound, a screen has. */
const MAX_DEPTH = 200;

export function buildTimeline(columns: TimelineColumns): Timeline {
  const lanes = columns.lanes.map((lane, index) => buildLane(lane, index, columns.lanes));
  const size = lanes.reduce((sum, lane) => sum + lane.size, 0);
  // Work of a step may end after it, on the device.
  const span = lanes.reduce((latest, lane) => Math.max(latest, lastEnd(lane)), columns.step_us);
  return { lanes, size, span: span > 0 ? span : 1 };
}

function buildLane(columns: LaneColumns, index: number, all: readonly LaneColumns[]): Lane {
  const { start_us: starts, duration_us: durations } = columns;
  const size = Math.min(starts.length, durations.length, columns.name.length);
  const start = new Float64Array(size);
  const end = new Float64Array(size);
  const depth = new Int32Array(size);
  for (let at = 0; at < size; at += 1) {
    start[at] = starts[at] ?? 0;
    end[at] = (starts[at] ?? 0) + Math.max(0, durations[at] ?? 0);
    depth[at] = Math.min(MAX_DEPTH, Math.max(0, columns.depth[at] ?? 0));
  }
  const launched = columns.launched_by;
  const launcher = launched ? launcherOf(columns, all) : -1;
  return {
    index,
    kind: columns.kind,
    title: columns.title,
    thread: columns.thread,
    size,
    start,
    end,
    depth,
    name: column(columns.name, size),
    place: column(columns.place, size),
    launchedBy: launched && launcher >= 0 ? column(launched, size) : null,
    launcher,
    rows: buildRows(start, end, depth),
  };
}

function launcherOf(columns: LaneColumns, all: readonly LaneColumns[]): number {
  const sameThread = all.findIndex(
    (lane) => lane.kind === 'host' && lane.thread === columns.thread,
  );
  return sameThread >= 0 ? sameThread : all.findIndex((lane) => lane.kind === 'host');
}

function column(values: readonly number[], size: number): Int32Array {
  const filled = new Int32Array(size).fill(-1);
  for (let at = 0; at < size; at += 1) filled[at] = values[at] ?? -1;
  return filled;
}

function buildRows(start: Float64Array, end: Float64Array, depth: Int32Array): Row[] {
  const byDepth: number[][] = [];
  for (let at = 0; at < depth.length; at += 1) (byDepth[depth[at] ?? 0] ??= []).push(at);
  const rows: Row[] = [];
  for (let level = 0; level < byDepth.length; level += 1) {
    // A depth without any span is a hole.
    const spans = byDepth[level] ?? [];
    const sorted = Int32Array.from(spans).sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0));
    let latest = -Infinity;
    const reached = Float64Array.from(
      sorted,
      (span) => (latest = Math.max(latest, end[span] ?? 0)),
    );
    rows.push({
      depth: level,
      spans: sorted,
      start: Float64Array.from(sorted, (span) => start[span] ?? 0),
      reached,
    });
  }
  return rows;
}

function lastEnd(lane: Lane): number {
  return lane.rows.reduce((latest, row) => Math.max(latest, row.reached.at(-1) ?? 0), 0);
}

/** The first position in `sorted` whose value is greater than `value`. */
export function firstAfter(sorted: Float64Array, value: number, from = 0): number {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Visit what a row shows between `from` and `to` (µs) when `pixel` µs are one pixel: each span that
 * is wider, and one for all that begin in the same pixel. So a row costs as much as it has pixels,
 * however many spans it has. Returns how many were visited.
 */
export function visitVisible(
  row: Row,
  from: number,
  to: number,
  pixel: number,
  end: Float64Array,
  visit: (span: number, start: number, end: number) => void,
): number {
  let visited = 0;
  let at = firstAfter(row.reached, from);
  while (at < row.spans.length) {
    const begins = row.start[at] ?? 0;
    if (begins > to) break;
    const span = row.spans[at] ?? 0;
    const ends = end[span] ?? begins;
    visited += 1;
    if (ends - begins >= pixel) {
      visit(span, begins, ends);
      at += 1;
      continue;
    }
    const edge = Math.max(begins, from) + pixel;
    visit(span, begins, edge);
    const next = Math.max(at + 1, firstAfter(row.start, edge, at));
    // What begins in the same pixel and ends far behind it is no part of that box.
    if ((row.reached[next - 1] ?? 0) > edge) {
      for (at += 1; at < next; at += 1) {
        const other = row.spans[at] ?? 0;
        const [starts, stops] = [row.start[at] ?? 0, end[other] ?? 0];
        if (stops - starts < pixel) continue;
        visited += 1;
        visit(other, starts, stops);
      }
    }
    at = next;
  }
  return visited;
}

/** The span of a row at `time`, or within `slack` µs of it; -1: none. */
export function spanAt(row: Row, time: number, slack: number, end: Float64Array): number {
  let best = -1;
  let nearest = slack;
  // Backwards from the last that begins before; `reached` says where no earlier one can.
  for (let at = firstAfter(row.start, time + slack) - 1; at >= 0; at -= 1) {
    if ((row.reached[at] ?? 0) < time - slack) break;
    const span = row.spans[at] ?? 0;
    const [begins, ends] = [row.start[at] ?? 0, end[span] ?? 0];
    const away = Math.max(0, begins - time, time - ends);
    if (away <= nearest && (best < 0 || away < nearest)) [best, nearest] = [span, away];
    if (nearest === 0) break;
  }
  return best;
}
