/** What passes between the page and the panel that shows it. */
import type { PageReport } from './model/page';
import type { Texts } from './strings';

/** Where a report comes from: what a reloaded window asks for again. */
export type Source =
  | { readonly kind: 'file'; readonly uri: string }
  | { readonly kind: 'run'; readonly run: string | number }
  | { readonly kind: 'saved'; readonly uri: string };

export interface Focus {
  readonly file: string;
  readonly line: number;
}

export interface PageState {
  readonly source?: Source;
  /** Files that have changed since they were measured. */
  readonly stale?: readonly string[];
  readonly focus?: Focus | null;
  /** Whether "measure again" can be offered. */
  readonly canProfile?: boolean;
}

export type ToPage =
  | { kind: 'report'; report: PageReport; strings: Partial<Texts>; state: PageState }
  | { kind: 'missing'; message: string; strings: Partial<Texts>; state: PageState }
  | { kind: 'focus'; file: string; line: number }
  | { kind: 'stale'; files: readonly string[] };

export type FromPage =
  | { kind: 'ready' }
  | { kind: 'goTo'; file: string; line: number }
  | { kind: 'explain'; rule: string }
  | { kind: 'profile' };
