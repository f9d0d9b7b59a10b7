/** The optional `charts` of a report: columns instead of objects, so that many spans stay small. */

export type LaneKind = 'lines' | 'host' | 'stream' | 'copies' | 'communication' | 'marks';

/** Times are microseconds from the start of the shown step; an index of -1 means none. */
export interface LaneColumns {
  readonly kind: LaneKind;
  readonly title: string;
  readonly thread: number | string | null;
  readonly device: number | string | null;
  readonly start_us: readonly number[];
  readonly duration_us: readonly number[];
  readonly depth: readonly number[];
  readonly name: readonly number[];
  readonly place: readonly number[];
  readonly launched_by?: readonly number[] | null;
}

export interface Place {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly function: string;
}

export interface TimelineColumns {
  readonly step_us: number;
  readonly of_steps: number;
  /** How much slower the recorded step is than a clean one; null: not known. */
  readonly tax: number | null;
  /** Spans that a cap left out, the shortest first. */
  readonly dropped: number;
  readonly lanes: readonly LaneColumns[];
}

/** A tree in pre-order; the root's parent is -1. */
export interface TreeColumns {
  readonly parent: readonly number[];
  readonly name: readonly number[];
  readonly place: readonly number[];
  readonly self_ms: readonly number[];
}

export interface Charts {
  readonly names: readonly string[];
  readonly places: readonly Place[];
  readonly timeline: TimelineColumns | null;
  readonly flame: { readonly by_path: TreeColumns; readonly by_module: TreeColumns | null } | null;
  /** Texts of measured lines, where the page has no editor beside it. */
  readonly source_lines?: readonly { readonly place: number; readonly text: string }[] | null;
}
