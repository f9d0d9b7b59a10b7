/** Where lanes and their rows stand, from top to bottom, in pixels of the page. */
import type { Lane, Timeline } from './timeline';

export const ROW = 18;
export const HEAD = 22;
const GAP = 8;

export interface PlacedLane {
  readonly lane: Lane;
  /** Of its head. */
  readonly top: number;
  /** Rows that are shown: one where the lane is folded. */
  readonly rows: number;
}

export interface Placed {
  readonly lanes: readonly PlacedLane[];
  readonly height: number;
}

export function placeLanes({ lanes }: Timeline, folded: ReadonlySet<number>): Placed {
  let top = 0;
  const placed: PlacedLane[] = [];
  for (const lane of lanes) {
    if (lane.size === 0) continue;
    const rows = folded.has(lane.index) ? 1 : lane.rows.length;
    placed.push({ lane, top, rows });
    top += HEAD + rows * ROW + GAP;
  }
  return { lanes: placed, height: top };
}

export const rowTop = (placed: PlacedLane, row: number) => placed.top + HEAD + row * ROW;

/** What is at `y`: a lane and the row of it, -1 for its head. */
export function atHeight({ lanes }: Placed, y: number): { lane: PlacedLane; row: number } | null {
  const lane = lanes.findLast(({ top }) => top <= y);
  if (!lane) return null;
  const row = Math.floor((y - lane.top - HEAD) / ROW);
  if (row >= lane.rows) return null;
  return { lane, row: Math.max(-1, row) };
}
