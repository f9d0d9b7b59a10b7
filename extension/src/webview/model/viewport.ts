/** The part of a time axis that is on the screen. Every function returns a new one, within bounds. */

export interface Viewport {
  /** µs. */
  readonly from: number;
  readonly to: number;
}

/** No closer than this: below it is nothing that a profiler measures. µs. */
const CLOSEST = 0.5;

export function clampTo(span: number, from: number, to: number): Viewport {
  const width = Math.min(span, Math.max(Math.min(CLOSEST, span), to - from));
  const begin = Math.min(Math.max(0, from), span - width);
  return { from: begin, to: begin + width };
}

/** `factor` below 1 comes closer; `anchor` (µs) stays where it is. */
export function zoom(view: Viewport, span: number, factor: number, anchor: number): Viewport {
  const width = Math.max(Math.min(CLOSEST, span), (view.to - view.from) * factor);
  const at = (anchor - view.from) / (view.to - view.from);
  const from = anchor - at * width;
  return clampTo(span, from, from + width);
}

/** `by` in parts of what is on the screen. */
export function pan(view: Viewport, span: number, by: number): Viewport {
  const shift = by * (view.to - view.from);
  return clampTo(span, view.from + shift, view.to + shift);
}

/** Show all of `from` to `to`, with some room on both sides. */
export function fit(span: number, from: number, to: number): Viewport {
  const room = Math.max(CLOSEST, (to - from) * 0.15);
  return clampTo(span, from - room, to + room);
}

/** Move as little as shows `from` to `to`, at the same scale. */
export function reveal(view: Viewport, span: number, from: number, to: number): Viewport {
  const width = view.to - view.from;
  if (to - from > width) return fit(span, from, to);
  if (from < view.from) return clampTo(span, from - 0.1 * width, from + 0.9 * width);
  if (to > view.to) return clampTo(span, to - 0.9 * width, to + 0.1 * width);
  return view;
}

/** Round steps of 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticks(view: Viewport, most: number): number[] {
  const rough = (view.to - view.from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((times) => times * power >= rough) ?? 10) * power;
  const found: number[] = [];
  for (let at = Math.ceil(view.from / step); at * step <= view.to; at += 1) found.push(at * step);
  return found;
}
