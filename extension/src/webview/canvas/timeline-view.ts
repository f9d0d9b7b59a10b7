/** Draws the timeline, and says what is where on it. Knows no events: see timeline-input.ts. */
import { duration } from '../format';
import type { Charts } from '../../generated/report';
import {
  atHeight,
  HEAD,
  placeLanes,
  ROW,
  rowTop,
  type Placed,
  type PlacedLane,
} from '../model/lanes';
import { spanAt, visitVisible, type SpanRef, type Timeline } from '../model/timeline';
import { clampTo, fit, reveal, ticks, type Viewport } from '../model/viewport';
import { launchedFrom, launcherOf } from '../model/walk';
import type { Palette } from '../theme';
import { Boxes, hueOf } from './boxes';
import { Surface, type Paint } from './surface';

export const RULER = 22;
const BOX = ROW - 2;
/** More arrows than these are a tangle. */
const MAX_ARROWS = 40;
const TICK_SPACE = 110;
const HUES = 8;

export interface Parts {
  readonly canvas: HTMLCanvasElement;
  readonly scroller: HTMLElement;
  readonly spacer: HTMLElement;
}

export class TimelineView {
  view: Viewport;
  selected: SpanRef | null = null;
  hovered: SpanRef | null = null;
  /** By name; null: nothing is looked for. */
  matches: Uint8Array | null = null;
  readonly folded = new Set<number>();
  onView: () => void = () => undefined;
  placed: Placed;
  private readonly surface: Surface;
  private readonly hues: Uint8Array;
  private readonly resized = new ResizeObserver(() => {
    this.cover();
  });

  constructor(
    private readonly parts: Parts,
    readonly timeline: Timeline,
    private readonly charts: Charts,
  ) {
    this.view = { from: 0, to: timeline.span };
    this.placed = placeLanes(timeline, this.folded);
    this.hues = Uint8Array.from(charts.names, (name) => hueOf(name, HUES));
    this.surface = new Surface(parts.canvas, (paint) => {
      this.paint(paint);
    });
    this.fold();
    this.resized.observe(parts.scroller);
    this.cover();
  }

  dispose(): void {
    this.resized.disconnect();
    this.surface.dispose();
  }

  redraw(): void {
    this.surface.invalidate();
  }

  /** The canvas stays where it is while the spacer below it scrolls; no style sheet can say that. */
  private cover(): void {
    const height = this.parts.scroller.clientHeight;
    this.parts.canvas.style.height = `${height}px`;
    this.parts.canvas.style.marginBottom = `${-height}px`;
  }

  setView(view: Viewport): void {
    this.view = view;
    this.redraw();
    this.onView();
  }

  showAll(): void {
    this.setView({ from: 0, to: this.timeline.span });
  }

  /** Fill the width with a span. */
  fit({ lane, span }: SpanRef): void {
    const of = this.timeline.lanes[lane];
    if (of) this.setView(fit(this.timeline.span, of.start[span] ?? 0, of.end[span] ?? 0));
  }

  /** Move so that a span is on the screen. */
  reveal({ lane, span }: SpanRef): void {
    const of = this.timeline.lanes[lane];
    if (!of) return;
    this.unfold(lane);
    const [start, end] = [of.start[span] ?? 0, of.end[span] ?? 0];
    this.setView(reveal(this.view, this.timeline.span, start, end));
    const placed = this.placed.lanes.find((candidate) => candidate.lane === of);
    if (!placed) return;
    const top = rowTop(placed, of.depth[span] ?? 0);
    const { scroller } = this.parts;
    const room = scroller.clientHeight - RULER;
    if (top < scroller.scrollTop + HEAD) scroller.scrollTop = Math.max(0, top - HEAD);
    else if (top + ROW > scroller.scrollTop + room) scroller.scrollTop = top + 2 * ROW - room;
  }

  toggleFold(lane: number): void {
    if (!this.folded.delete(lane)) this.folded.add(lane);
    this.fold();
  }

  private unfold(lane: number): void {
    if (this.folded.delete(lane)) this.fold();
  }

  private fold(): void {
    this.placed = placeLanes(this.timeline, this.folded);
    const height = this.placed.height + RULER;
    this.parts.spacer.style.height = `${height}px`;
    this.parts.scroller.style.maxHeight = `${height + 2}px`;
    this.redraw();
  }

  /** µs per pixel. */
  get pixel(): number {
    return (this.view.to - this.view.from) / Math.max(1, this.surface.width);
  }

  timeAt(x: number): number {
    return this.view.from + x * this.pixel;
  }

  /** What is at a point of the canvas: a span, the head of a lane, or nothing. */
  at(x: number, y: number): { span: SpanRef | null; head: number | null } {
    const nothing = { span: null, head: null };
    if (y < RULER) return nothing;
    const hit = atHeight(this.placed, y - RULER + this.parts.scroller.scrollTop);
    if (!hit) return nothing;
    const { lane } = hit.lane;
    if (hit.row < 0) return { span: null, head: lane.index };
    const row = lane.rows[hit.row];
    if (!row) return nothing;
    const span = spanAt(row, this.timeAt(x), 2 * this.pixel, lane.end);
    return { span: span < 0 ? null : { lane: lane.index, span }, head: null };
  }

  nameOf({ lane, span }: SpanRef): string {
    return this.charts.names[this.timeline.lanes[lane]?.name[span] ?? -1] ?? '';
  }

  private paint({ context, width, height, palette }: Paint): void {
    const pixel = this.pixel;
    const { from, to } = this.view;
    const scrolled = RULER - this.parts.scroller.scrollTop;
    this.paintGrid(context, width, height, palette);
    const boxes = new Boxes(width, BOX);
    for (const placed of this.placed.lanes) {
      const { lane } = placed;
      if (placed.top + scrolled > height) break;
      for (let level = 0; level < placed.rows; level += 1) {
        const y = rowTop(placed, level) + scrolled;
        const row = lane.rows[level];
        if (!row || y + ROW < RULER || y > height) continue;
        visitVisible(row, from, to, pixel, lane.end, (span, start, end) => {
          const name = lane.name[span] ?? -1;
          const quiet = this.matches !== null && !this.matches[name];
          boxes.add(
            quiet ? -1 : (this.hues[name] ?? 0),
            (start - from) / pixel,
            (end - from) / pixel,
            y,
            () => this.charts.names[name] ?? '',
          );
        });
      }
    }
    boxes.draw(context, palette);
    for (const placed of this.placed.lanes) this.paintHead(context, placed, scrolled, palette);
    this.paintSelection(context, palette, scrolled);
    this.paintRuler(context, width, palette);
    // For tests and the benchmark: how much work this frame was.
    this.parts.canvas.dataset['drawn'] = String(boxes.size);
  }

  private paintGrid(
    context: CanvasRenderingContext2D,
    width: number,
    height: number,
    palette: Palette,
  ) {
    context.fillStyle = palette.line;
    for (const time of ticks(this.view, width / TICK_SPACE)) {
      context.fillRect(Math.round((time - this.view.from) / this.pixel), RULER, 1, height);
    }
  }

  private paintRuler(context: CanvasRenderingContext2D, width: number, palette: Palette): void {
    context.fillStyle = palette.background;
    context.fillRect(0, 0, width, RULER);
    context.fillStyle = palette.line;
    context.fillRect(0, RULER - 1, width, 1);
    context.fillStyle = palette.muted;
    context.textAlign = 'left';
    for (const time of ticks(this.view, width / TICK_SPACE)) {
      const x = Math.round((time - this.view.from) / this.pixel);
      context.fillRect(x, RULER - 6, 1, 6);
      context.fillText(duration(time / 1000), x + 4, RULER / 2);
    }
  }

  private paintHead(
    context: CanvasRenderingContext2D,
    { lane, top }: PlacedLane,
    scrolled: number,
    palette: Palette,
  ): void {
    const y = top + scrolled + HEAD / 2;
    const many = lane.rows.length > 1;
    const mark = many ? (this.folded.has(lane.index) ? '▸ ' : '▾ ') : '';
    const label = mark + lane.title;
    context.textAlign = 'left';
    context.fillStyle = palette.background;
    context.fillRect(0, y - HEAD / 2 + 2, context.measureText(label).width + 12, HEAD - 4);
    context.fillStyle = palette.text;
    context.fillText(label, 4, y);
  }

  private paintSelection(context: CanvasRenderingContext2D, palette: Palette, scrolled: number) {
    if (this.hovered) this.outline(context, this.hovered, scrolled, palette.text, 1);
    if (!this.selected) return;
    this.outline(context, this.selected, scrolled, palette.text, 2);
    const launcher = launcherOf(this.timeline, this.selected);
    if (launcher) this.arrow(context, launcher, this.selected, scrolled, palette);
    for (const launched of launchedFrom(this.timeline, this.selected, MAX_ARROWS)) {
      this.arrow(context, this.selected, launched, scrolled, palette);
    }
  }

  /** Where a span is on the canvas; of a folded lane, its only row. */
  box({ lane, span }: SpanRef, scrolled: number) {
    const placed = this.placed.lanes.find((candidate) => candidate.lane.index === lane);
    if (!placed) return null;
    const { start, end, depth } = placed.lane;
    const level = Math.min(depth[span] ?? 0, placed.rows - 1);
    const x = ((start[span] ?? 0) - this.view.from) / this.pixel;
    const width = Math.max(1, ((end[span] ?? 0) - (start[span] ?? 0)) / this.pixel);
    return { x, y: rowTop(placed, level) + scrolled, width };
  }

  private outline(
    context: CanvasRenderingContext2D,
    ref: SpanRef,
    scrolled: number,
    color: string,
    thick: number,
  ): void {
    const box = this.box(ref, scrolled);
    if (!box) return;
    const x = Math.max(-4, box.x);
    const width = Math.min(this.surface.width + 8, box.x + box.width) - x;
    if (width <= 0) return;
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.strokeRect(x - 0.5, box.y - 0.5, Math.max(3, width), BOX + 1);
  }

  private arrow(
    context: CanvasRenderingContext2D,
    from: SpanRef,
    to: SpanRef,
    scrolled: number,
    palette: Palette,
  ): void {
    const [begin, end] = [this.box(from, scrolled), this.box(to, scrolled)];
    if (!begin || !end) return;
    const down = end.y > begin.y;
    const x0 = begin.x + Math.min(begin.width / 2, 12);
    const y0 = begin.y + (down ? BOX : 0);
    const [x1, y1] = [end.x, end.y + (down ? -1 : BOX + 1)];
    const bend = Math.max(24, Math.abs(y1 - y0) / 2) * (down ? 1 : -1);
    context.strokeStyle = palette.accent;
    context.fillStyle = palette.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
    context.stroke();
    const tip = down ? -6 : 6;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 3.5, y1 + tip);
    context.lineTo(x1 + 3.5, y1 + tip);
    context.fill();
  }

  /** Begin at `from`, as wide as now. */
  moveTo(from: number): void {
    const width = this.view.to - this.view.from;
    this.setView(clampTo(this.timeline.span, from, from + width));
  }
}
