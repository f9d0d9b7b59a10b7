import { describe, expect, it } from 'vitest';
import { layOut, neighbour, pathTo } from '../../../extension/src/webview/model/flame';
import { atHeight, HEAD, placeLanes, ROW } from '../../../extension/src/webview/model/lanes';
import { modulesOf } from '../../../extension/src/webview/model/modules';
import { filtered, sorted } from '../../../extension/src/webview/model/rows';
import { matching } from '../../../extension/src/webview/model/search';
import {
  buildTimeline,
  spanAt,
  visitVisible,
  type Row,
  type Timeline,
} from '../../../extension/src/webview/model/timeline';
import {
  clampTo,
  fit,
  pan,
  reveal,
  ticks,
  zoom,
} from '../../../extension/src/webview/model/viewport';
import {
  findSpans,
  launchedFrom,
  launcherOf,
  step,
} from '../../../extension/src/webview/model/walk';

type Columns = Parameters<typeof buildTimeline>[0];
type LaneColumns = Columns['lanes'][number];

function lane(spans: readonly [start: number, length: number, depth: number, name: number][]) {
  return {
    kind: 'host',
    title: 'Thread 1',
    thread: 1,
    device: null,
    start_us: spans.map(([start]) => start),
    duration_us: spans.map(([, length]) => length),
    depth: spans.map(([, , depth]) => depth),
    name: spans.map(([, , , name]) => name),
    place: spans.map(() => -1),
  } satisfies LaneColumns;
}

function timelineOf(...lanes: LaneColumns[]): Timeline {
  return buildTimeline({ step_us: 100, of_steps: 1, tax: null, dropped: 0, lanes });
}

function rowOf(timeline: Timeline, level: number): Row {
  const row = timeline.lanes[0]?.rows[level];
  if (!row) throw new Error(`no row ${level}`);
  return row;
}

function visible(timeline: Timeline, level: number, from: number, to: number, pixel: number) {
  const seen: [number, number, number][] = [];
  const end = timeline.lanes[0]?.end ?? new Float64Array();
  visitVisible(rowOf(timeline, level), from, to, pixel, end, (...span) => seen.push(span));
  return seen;
}

describe('what a row of the timeline shows', () => {
  const nested = timelineOf(
    lane([
      [50, 20, 0, 0],
      [0, 40, 0, 1],
      [5, 10, 1, 2],
    ]),
  );

  it('is each span in sight, in the order of time, whatever the order of the columns', () => {
    expect(visible(nested, 0, 0, 100, 1)).toEqual([
      [1, 0, 40],
      [0, 50, 70],
    ]);
    expect(visible(nested, 0, 41, 49, 1)).toEqual([]);
    expect(visible(nested, 0, 39, 45, 1).map(([span]) => span)).toEqual([1]);
    expect(visible(nested, 1, 0, 100, 1)).toEqual([[2, 5, 15]]);
  });

  it('is one box per pixel where spans are narrower than that', () => {
    const many = timelineOf(
      lane(Array.from({ length: 10_000 }, (_, at) => [at / 100, 0.005, 0, 0])),
    );
    const seen = visible(many, 0, 0, 100, 1);
    expect(seen.length).toBeLessThanOrEqual(101);
    expect(seen.length).toBeGreaterThan(95);
    for (const [, start, end] of seen) expect(end - start).toBeCloseTo(1);
  });

  it('keeps a wide span between narrow ones', () => {
    const mixed = timelineOf(
      lane([
        [10, 0.01, 0, 0],
        [10.1, 0.01, 0, 0],
        [11.2, 30, 0, 1],
        [50, 0.01, 0, 0],
      ]),
    );
    expect(visible(mixed, 0, 0, 100, 1)).toContainEqual([2, 11.2, 41.2]);
  });

  it('finds a long span that began before the screen behind short ones that overlap it', () => {
    const overlapping = timelineOf(
      lane([
        [0, 90, 0, 0],
        [1, 1, 0, 0],
        [3, 1, 0, 0],
      ]),
    );
    expect(visible(overlapping, 0, 50, 60, 1).map(([span]) => span)).toContain(0);
    expect(
      spanAt(rowOf(overlapping, 0), 50, 1, overlapping.lanes[0]?.end ?? new Float64Array()),
    ).toBe(0);
  });

  it('is what every span on its own would have put on the screen', () => {
    let state = 1;
    const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    let time = 0;
    const spans = Array.from({ length: 2000 }, () => {
      time += next() * 0.1;
      const length = next() ** 4 * 2;
      const span: [number, number, number, number] = [time, length, 0, 0];
      time += length;
      return span;
    });
    const timeline = timelineOf(lane(spans));
    for (const pixel of [0.01, 0.2, 3]) {
      const [from, to] = [20, 20 + 200 * pixel];
      const inked = (boxes: readonly (readonly [number, number])[]) => {
        const pixels = new Set<number>();
        for (const [start, end] of boxes) {
          const last = Math.min(199, Math.floor((end - from) / pixel - 1e-9));
          for (let at = Math.max(0, Math.floor((start - from) / pixel)); at <= last; at += 1) {
            pixels.add(at);
          }
        }
        return pixels;
      };
      const drawn = inked(visible(timeline, 0, from, to, pixel).map(([, a, b]) => [a, b]));
      const wide = spans.filter(([, length]) => length >= pixel);
      const truth = inked(wide.map(([start, length]) => [start, start + length]));
      for (const at of truth) expect(drawn).toContain(at);
      expect(visible(timeline, 0, from, to, pixel).length).toBeLessThanOrEqual(2 * 200 + 2);
    }
  });

  it('is unharmed by columns that do not fit together', () => {
    const broken = { ...lane([[0, -5, -3, 9]]), name: [7, 8], launched_by: [99] };
    const [only] = timelineOf(broken).lanes;
    expect(only?.size).toBe(1);
    expect(only?.end[0]).toBe(0);
    expect(only?.rows.length).toBe(1);
  });
});

describe('kernels and what launched them', () => {
  const host = lane([
    [0, 10, 0, 0],
    [2, 2, 1, 1],
  ]);
  const stream: LaneColumns = {
    ...lane([
      [12, 5, 0, 2],
      [20, 5, 0, 2],
    ]),
    kind: 'stream',
    launched_by: [1, -1],
  };
  const timeline = timelineOf(host, stream);

  it('are found both ways', () => {
    expect(launcherOf(timeline, { lane: 1, span: 0 })).toEqual({ lane: 0, span: 1 });
    expect(launcherOf(timeline, { lane: 1, span: 1 })).toBeNull();
    expect(launchedFrom(timeline, { lane: 0, span: 1 }, 9)).toEqual([{ lane: 1, span: 0 }]);
    expect(launchedFrom(timeline, { lane: 0, span: 0 }, 9)).toEqual([]);
  });

  it('are walked through with the arrows', () => {
    let at = step(timeline, null, 'down');
    expect(at).toEqual({ lane: 0, span: 0 });
    at = step(timeline, at, 'down');
    expect(at).toEqual({ lane: 0, span: 1 });
    at = step(timeline, at, 'down');
    expect(at).toEqual({ lane: 1, span: 0 });
    at = step(timeline, at, 'right');
    expect(at).toEqual({ lane: 1, span: 1 });
    expect(step(timeline, at, 'right')).toEqual(at);
    expect(step(timeline, at, 'down')).toEqual(at);
  });

  it('are counted by a search', () => {
    const names = matching(['forward', 'launch', 'kernel'], 'KER');
    expect(names).toEqual(Uint8Array.of(0, 0, 1));
    const found = findSpans(timeline, names ?? new Uint8Array(), 1);
    expect(found).toEqual({ spans: 2, time: 10, refs: [{ lane: 1, span: 0 }] });
    expect(matching(['a'], '  ')).toBeNull();
  });

  it('stand in rows that the mouse finds again', () => {
    const placed = placeLanes(timeline, new Set());
    const second = placed.lanes[1];
    expect(atHeight(placed, HEAD + ROW + 1)).toEqual({ lane: placed.lanes[0], row: 1 });
    expect(atHeight(placed, (second?.top ?? 0) + 3)).toEqual({ lane: second, row: -1 });
    expect(atHeight(placed, (second?.top ?? 0) + HEAD + 1)?.row).toBe(0);
    expect(placeLanes(timeline, new Set([0])).lanes[0]?.rows).toBe(1);
  });
});

describe('the part of the time that is shown', () => {
  it('never leaves the step', () => {
    expect(clampTo(100, -20, 30)).toEqual({ from: 0, to: 50 });
    expect(clampTo(100, 80, 130)).toEqual({ from: 50, to: 100 });
    expect(clampTo(100, -50, 500)).toEqual({ from: 0, to: 100 });
    expect(pan({ from: 90, to: 100 }, 100, 1)).toEqual({ from: 90, to: 100 });
  });

  it('zooms round what is under the mouse', () => {
    const near = zoom({ from: 0, to: 100 }, 100, 0.5, 20);
    expect(near).toEqual({ from: 10, to: 60 });
    expect((20 - near.from) / (near.to - near.from)).toBeCloseTo(0.2);
    expect(zoom({ from: 0, to: 1 }, 100, 1e-9, 0.5).to).toBeGreaterThan(0.5);
  });

  it('moves to what is looked for, and as little as it must', () => {
    const view = { from: 10, to: 20 };
    expect(reveal(view, 100, 12, 15)).toBe(view);
    expect(reveal(view, 100, 50, 52).to - reveal(view, 100, 50, 52).from).toBeCloseTo(10);
    expect(reveal(view, 100, 30, 80)).toEqual(fit(100, 30, 80));
  });

  it('has round marks', () => {
    expect(ticks({ from: 0, to: 100 }, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks({ from: 3, to: 4 }, 4)).toEqual([3, 3.5, 4]);
  });
});

describe('the flame graph', () => {
  //  0 ── 1 (2) ── 2 (3)
  //    └─ 3 (7)
  const flame = layOut({
    parent: [-1, 0, 1, 0],
    name: [0, 1, 2, 3],
    place: [-1, -1, -1, -1],
    self_ms: [1, 2, 3, 7],
  });

  it('adds up from the leaves, the most expensive child first', () => {
    expect([...flame.total]).toEqual([13, 5, 3, 7]);
    expect(flame.children[0]).toEqual([3, 1]);
    expect([...flame.start]).toEqual([0, 7, 7, 0]);
    expect(flame.height).toBe(3);
  });

  it('is walked through with the arrows', () => {
    expect(neighbour(flame, 0, 'down')).toBe(3);
    expect(neighbour(flame, 3, 'right')).toBe(1);
    expect(neighbour(flame, 1, 'right')).toBe(1);
    expect(neighbour(flame, 2, 'up')).toBe(1);
    expect(pathTo(flame, 2)).toEqual([0, 1, 2]);
  });

  it('has no cycles, whatever a file claims', () => {
    const broken = layOut({ parent: [0, 5, 1], name: [0, 0, 0], place: [], self_ms: [1, 1, 1] });
    expect([...broken.parent]).toEqual([-1, 0, 1]);
    expect(broken.total[0]).toBe(3);
  });

  it('is also a table of modules', () => {
    const tree = { parent: [-1, 0, 1], name: [0, 1, 2], place: [-1, -1, 0], self_ms: [1, 2, 3] };
    const charts = {
      names: ['step', 'net', 'conv1'],
      places: [{ file: '/m.py', line: 3, function: 'Net.forward' }],
      timeline: null,
      flame: { unit: 'ms per step' as const, by_path: tree, by_module: tree },
      source_lines: [],
    };
    expect(modulesOf(charts)).toEqual([
      { path: 'net', self_ms: 2, total_ms: 5, place: null },
      { path: 'net.conv1', self_ms: 3, total_ms: 3, place: charts.places[0] },
    ]);
    expect(modulesOf({ ...charts, flame: { ...charts.flame, by_module: null } })).toBeNull();
    expect(modulesOf(null)).toBeNull();
  });
});

describe('rows of a table', () => {
  const rows = [
    { name: 'b10', ms: 2 },
    { name: 'b9', ms: null },
    { name: 'a', ms: 3 },
  ];

  it('are sorted by number or name; what was not measured comes last both ways', () => {
    const by = (descending: boolean) =>
      sorted(rows, ({ ms }) => ms, descending).map(({ ms }) => ms);
    expect(by(true)).toEqual([3, 2, null]);
    expect(by(false)).toEqual([2, 3, null]);
    expect(sorted(rows, ({ name }) => name, false).map(({ name }) => name)).toEqual([
      'a',
      'b9',
      'b10',
    ]);
  });

  it('are filtered by every word', () => {
    expect(filtered(rows, 'B 1', ({ name }) => name)).toEqual([rows[0]]);
    expect(filtered(rows, '', ({ name }) => name)).toBe(rows);
  });
});
