/** Mouse, touch and keys on the timeline. */
import type { Direction } from '../model/flame';
import type { SpanRef } from '../model/timeline';
import { pan, zoom } from '../model/viewport';
import { step } from '../model/walk';
import type { TimelineView } from './timeline-view';

export interface Actions {
  onSelect(ref: SpanRef | null): void;
  /** x and y in the canvas. */
  onHover(ref: SpanRef | null, x: number, y: number): void;
  /** Enter, or the like: to its line. */
  onOpen(ref: SpanRef): void;
}

const ZOOM = 0.7;
const PAN = 0.2;
/** A hand that clicks is not perfectly still. Pixels. */
const STILL = 4;

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Listen on the canvas' scroller; returns what ends that. */
export function listen(
  view: TimelineView,
  scroller: HTMLElement,
  canvas: HTMLCanvasElement,
  actions: Actions,
): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const { span } = view.timeline;
  const point = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const select = (ref: SpanRef | null) => {
    view.selected = ref;
    if (ref) view.reveal(ref);
    view.redraw();
    actions.onSelect(ref);
  };
  let drag: { x: number; y: number; from: number; top: number; moved: boolean } | null = null;

  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      const { x, y } = point(event);
      drag = { x, y, from: view.view.from, top: scroller.scrollTop, moved: false };
      canvas.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const { x, y } = point(event);
      if (drag) {
        drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > STILL;
        if (!drag.moved) return;
        view.moveTo(drag.from - (x - drag.x) * view.pixel);
        scroller.scrollTop = drag.top - (y - drag.y);
        actions.onHover(null, x, y);
        return;
      }
      const { span: ref, head } = view.at(x, y);
      canvas.style.cursor = (ref ?? head !== null) ? 'pointer' : 'default';
      if (ref?.lane !== view.hovered?.lane || ref?.span !== view.hovered?.span) {
        view.hovered = ref;
        view.redraw();
      }
      actions.onHover(ref, x, y);
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      const moved = drag?.moved ?? true;
      drag = null;
      if (moved) return;
      const { x, y } = point(event);
      const { span: ref, head } = view.at(x, y);
      if (head !== null) view.toggleFold(head);
      else {
        view.selected = ref;
        view.redraw();
        actions.onSelect(ref);
      }
    },
    { signal },
  );
  canvas.addEventListener('pointercancel', () => (drag = null), { signal });
  canvas.addEventListener(
    'pointerleave',
    () => {
      view.hovered = null;
      view.redraw();
      actions.onHover(null, 0, 0);
    },
    { signal },
  );
  canvas.addEventListener(
    'dblclick',
    (event) => {
      const { x, y } = point(event);
      const { span: ref } = view.at(x, y);
      if (ref) view.fit(ref);
    },
    { signal },
  );
  scroller.addEventListener(
    'wheel',
    (event) => {
      // Without a key the wheel scrolls the page, as it does everywhere else on it.
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.01);
        view.setView(zoom(view.view, span, factor, view.timeAt(point(event).x)));
        return;
      }
      const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
      event.preventDefault();
      view.moveTo(view.view.from + sideways * view.pixel);
    },
    { signal, passive: false },
  );
  scroller.addEventListener('scroll', () => view.redraw(), { signal });
  scroller.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const arrow = ARROWS[event.key];
      const { selected } = view;
      const middle = (view.view.from + view.view.to) / 2;
      const keys: Record<string, () => void> = {
        w: () => view.setView(zoom(view.view, span, ZOOM, middle)),
        s: () => view.setView(zoom(view.view, span, 1 / ZOOM, middle)),
        a: () => view.setView(pan(view.view, span, -PAN)),
        d: () => view.setView(pan(view.view, span, PAN)),
        f: () => selected && view.fit(selected),
        c: () => selected && view.toggleFold(selected.lane),
        enter: () => selected && actions.onOpen(selected),
        escape: () => select(null),
      };
      const act = arrow
        ? () => select(step(view.timeline, selected, arrow))
        : { ...keys, '+': keys['w'], '=': keys['w'], '-': keys['s'], '0': () => view.showAll() }[
            event.key.toLowerCase()
          ];
      if (!act) return;
      event.preventDefault();
      act();
    },
    { signal },
  );
  return () => {
    ended.abort();
  };
}
