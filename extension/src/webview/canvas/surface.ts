/** A canvas that is as sharp as the screen, as large as its box, and drawn once per frame. */
import { onThemeChange, readPalette, type Palette } from '../theme';

export interface Paint {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
}

export class Surface {
  private palette: Palette | null = null;
  private frame = 0;
  private readonly resized: ResizeObserver;
  private readonly endTheme: () => void;
  width = 0;
  height = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly paint: (paint: Paint) => void,
  ) {
    this.resized = new ResizeObserver(() => {
      this.measure();
    });
    this.resized.observe(canvas);
    this.endTheme = onThemeChange(() => {
      this.palette = null;
      this.invalidate();
    });
    this.measure();
  }

  /** Draw with the next frame. */
  invalidate(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    this.endTheme();
  }

  private measure(): void {
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.invalidate();
  }

  private draw(): void {
    this.frame = 0;
    const context = this.canvas.getContext('2d', { alpha: false });
    if (!context || this.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    // Setting the size also empties the canvas, so only when it has changed.
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    this.palette ??= readPalette();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = this.palette.font;
    context.textBaseline = 'middle';
    context.fillStyle = this.palette.background;
    context.fillRect(0, 0, this.width, this.height);
    this.paint({ context, width: this.width, height: this.height, palette: this.palette });
  }
}
