/** Draws the flame graph (root on top), and says what is where on it. */
import type { Charts } from '../../generated/report';
import { neighbour, pathTo, type Direction, type Flame } from '../model/flame';
import { Boxes, hueOf } from './boxes';
import { Surface, type Paint } from './surface';

export const FLAME_ROW = 20;
const BOX = FLAME_ROW - 2;
const HUES = 8;
/** Narrower nodes cannot be seen. Pixels. */
const VISIBLE = 0.4;

export class FlameView {
  /** The node that fills the width. */
  zoomed = 0;
  selected = -1;
  hovered = -1;
  matches: Uint8Array | null = null;
  private readonly surface: Surface;
  private readonly hues: Uint8Array;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    readonly flame: Flame,
    private readonly charts: Charts,
  ) {
    this.hues = Uint8Array.from(charts.names, (name) => hueOf(name, HUES));
    canvas.style.height = `${Math.max(2, flame.height) * FLAME_ROW}px`;
    this.surface = new Surface(canvas, (paint) => {
      this.paint(paint);
    });
  }

  dispose(): void {
    this.surface.dispose();
  }

  redraw(): void {
    this.surface.invalidate();
  }

  zoomTo(node: number): void {
    this.zoomed = Math.max(0, node);
    this.redraw();
  }

  nameOf(node: number): string {
    return this.charts.names[this.flame.name[node] ?? -1] ?? '';
  }

  move(direction: Direction): number {
    this.selected =
      this.selected < 0 ? this.zoomed : neighbour(this.flame, this.selected, direction);
    // What is outside of the zoomed node is not on the screen.
    const path = pathTo(this.flame, this.selected);
    if (!path.includes(this.zoomed) && !pathTo(this.flame, this.zoomed).includes(this.selected)) {
      this.zoomed = this.flame.parent[this.selected] ?? 0;
    }
    this.redraw();
    return this.selected;
  }

  /** The node at a point of the canvas; -1: none. */
  at(x: number, y: number): number {
    const depth = Math.floor(y / FLAME_ROW);
    const [begin, scale] = this.scale();
    const at = begin + x / scale;
    const { flame } = this;
    for (let node = 0; node < flame.size; node += 1) {
      if (flame.depth[node] !== depth) continue;
      const [from, to] = this.extent(node);
      if (at >= from && at <= to && (to - from) * scale >= VISIBLE) return node;
    }
    return -1;
  }

  /** Where the screen begins, in ms, and pixels per ms. */
  private scale(): [begin: number, scale: number] {
    const total = this.flame.total[this.zoomed] ?? 0;
    return [this.flame.start[this.zoomed] ?? 0, this.surface.width / (total || 1)];
  }

  /** From where to where a node is, in ms. */
  private extent(node: number): [number, number] {
    const from = this.flame.start[node] ?? 0;
    return [from, from + (this.flame.total[node] ?? 0)];
  }

  private paint({ context, width, palette }: Paint): void {
    const { flame } = this;
    const [begin, scale] = this.scale();
    const above = new Set(pathTo(flame, this.zoomed).slice(0, -1));
    const boxes = new Boxes(width, BOX);
    const place = (node: number): [number, number] => {
      const [from, to] = this.extent(node);
      // The way to the zoomed node stays on the screen, as wide as it.
      if (above.has(node)) return [0, width];
      return [(from - begin) * scale, (to - begin) * scale];
    };
    for (let node = 0; node < flame.size; node += 1) {
      const [left, right] = place(node);
      if (right <= 0 || left >= width || right - left < VISIBLE) continue;
      const name = flame.name[node] ?? -1;
      const quiet = above.has(node) || (this.matches !== null && !this.matches[name]);
      const y = (flame.depth[node] ?? 0) * FLAME_ROW;
      boxes.add(quiet ? -1 : (this.hues[name] ?? 0), left, right, y, () => this.nameOf(node));
    }
    boxes.draw(context, palette);
    context.strokeStyle = palette.text;
    for (const [node, thick] of [
      [this.hovered, 1],
      [this.selected, 2],
    ] as const) {
      if (node < 0) continue;
      const [left, right] = place(node).map((x) => Math.min(width, Math.max(0, x))) as [
        number,
        number,
      ];
      if (right <= left) continue;
      context.lineWidth = thick;
      const y = (flame.depth[node] ?? 0) * FLAME_ROW;
      context.strokeRect(left + 0.5, y + 0.5, Math.max(2, right - left - 2), BOX - 1);
    }
    this.canvas.dataset['drawn'] = String(boxes.size);
  }
}
