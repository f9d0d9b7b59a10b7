/** What is under the mouse, beside it. Nothing in it is out of reach of the keyboard: see details. */
import type { ComponentChildren } from 'preact';

export interface TipAt {
  readonly x: number;
  readonly y: number;
  /** Of the chart: the tip stays inside. */
  readonly width: number;
}

export function Tooltip({ at, children }: { at: TipAt; children: ComponentChildren }) {
  const right = at.x > at.width / 2;
  const style = right
    ? { right: `${at.width - at.x + 14}px`, top: `${at.y + 16}px` }
    : { left: `${at.x + 14}px`, top: `${at.y + 16}px` };
  return (
    <div class="tip" style={style} aria-hidden="true">
      {children}
    </div>
  );
}
