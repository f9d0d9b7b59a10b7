/** Which marks a file gets, as plain data: what is drawn is decided here, and only drawn elsewhere. */
import type { HeatParams, HotLine } from '../protocol';

/** One look of a mark. Stale: measured before an edit. */
export interface Mark {
  readonly level: HotLine['level'];
  readonly stale: boolean;
}

export const LEVELS = [1, 2, 3] as const;

/** Every mark that there is, each drawn by a decoration of its own. */
export const MARKS: readonly Mark[] = LEVELS.flatMap((level) => [
  { level, stale: false },
  { level, stale: true },
]);

/**
 * 0-based lines for each of `MARKS`, in that order; every mark has an entry, so that what is gone is
 * taken away. Lines beyond the end of the text are left out.
 */
export function planMarks(lines: readonly HotLine[], lineCount: number): number[][] {
  return MARKS.map((mark) =>
    lines
      .filter(
        ({ level, stale, line }) =>
          level === mark.level && stale === mark.stale && line >= 1 && line <= lineCount,
      )
      .map(({ line }) => line - 1),
  );
}

/** A document of the editor, as far as it matters here. */
export interface Shown {
  readonly uri: string;
  readonly version: number;
}

/** The newest heat of every measured file, whether it is on the screen or not. */
export class HeatMap {
  private readonly files = new Map<string, HeatParams>();

  /** `uri` spelt as the editor spells it. */
  set(uri: string, heat: HeatParams): void {
    if (heat.lines.length > 0) this.files.set(uri, heat);
    else this.files.delete(uri);
  }

  clear(): void {
    this.files.clear();
  }

  /**
   * What to draw in a document now. Undefined: leave what is drawn, which the editor moves with the
   * text; the server is about to tell of the text as it is. Drawing the old lines would flicker.
   */
  linesFor({ uri, version }: Shown): readonly HotLine[] | undefined {
    const heat = this.files.get(uri);
    if (!heat) return [];
    return heat.version === null || heat.version === version ? heat.lines : undefined;
  }
}
