/** The whole step in a strip, and which part of it is shown below. */
import { clampTo, zoom } from '../model/viewport';
import { visitVisible } from '../model/timeline';
import { Surface, type Paint } from './surface';
import type { TimelineView } from './timeline-view';

const STILL = 4;

/** Draws and listens until the returned function is called. */
export function minimap(
  canvas: HTMLCanvasElement,
  view: TimelineView,
): { redraw(): void; end(): void } {
  const { timeline } = view;
  const surface = new Surface(canvas, (paint) => {
    drawMinimap(paint, view);
  });
  const ended = new AbortController();
  const { signal } = ended;
  const timeAt = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * timeline.span;
  };
  let drag: { at: number; x: number; from: number; moves: boolean } | null = null;
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      const at = timeAt(event);
      const { from, to } = view.view;
      const whole = to - from >= timeline.span * 0.999;
      drag = { at, x: event.clientX, from, moves: !whole && at > from && at < to };
      canvas.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      if (!drag || Math.abs(event.clientX - drag.x) < STILL) return;
      const at = timeAt(event);
      if (drag.moves) view.moveTo(drag.from + at - drag.at);
      else view.setView(clampTo(timeline.span, Math.min(at, drag.at), Math.max(at, drag.at)));
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      const width = view.view.to - view.view.from;
      const clicked = drag && Math.abs(event.clientX - drag.x) < STILL;
      if (clicked) view.moveTo(timeAt(event) - width / 2);
      drag = null;
    },
    { signal },
  );
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      view.setView(zoom(view.view, timeline.span, Math.exp(event.deltaY * 0.01), timeAt(event)));
    },
    { signal, passive: false },
  );
  return {
    redraw: () => {
      surface.invalidate();
    },
    end: () => {
      ended.abort();
      surface.dispose();
    },
  };
}

function drawMinimap({ context, width, height, palette }: Paint, view: TimelineView): void {
  const { span, lanes } = view.timeline;
  const strips = lanes.filter(({ size }) => size > 0);
  const pixel = span / Math.max(1, width);
  const high = Math.min(10, (height - 4) / Math.max(1, strips.length));
  context.fillStyle = palette.muted;
  for (const [at, lane] of strips.entries()) {
    const row = lane.rows.find(({ spans }) => spans.length > 0);
    if (!row) continue;
    visitVisible(row, 0, span, pixel, lane.end, (_, start, end) => {
      const wide = Math.max(0.5, (end - start) / pixel);
      context.fillRect(start / pixel, 2 + at * high, wide, Math.max(1, high - 1));
    });
  }
  const [from, to] = [view.view.from / pixel, view.view.to / pixel];
  context.globalAlpha = 0.7;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, from, height);
  context.fillRect(to, 0, width - to, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.strokeRect(from + 1, 1, Math.max(2, to - from - 2), height - 2);
}
