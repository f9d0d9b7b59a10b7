/** Many labelled boxes in few colours: collected first, then drawn colour by colour. */
import type { Palette } from '../theme';

/** Narrower boxes have no label. */
const LABELLED = 26;
const PADDING = 4;

interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly quiet: boolean;
}

export class Boxes {
  private readonly byHue = new Map<number, number[]>();
  private readonly labels: Label[] = [];
  size = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  /** `hue` is an index of the palette; -1: quiet, since something else was looked for. */
  add(hue: number, from: number, to: number, y: number, label: () => string): void {
    const x = Math.max(-1, from);
    const wide = Math.min(this.width + 1, to) - x;
    if (wide <= 0) return;
    this.size += 1;
    let boxes = this.byHue.get(hue);
    if (!boxes) this.byHue.set(hue, (boxes = []));
    // A gap between neighbours, where there is room for one.
    boxes.push(x, y, wide > 3 ? wide - 1 : Math.max(wide, 0.75));
    if (wide >= LABELLED) {
      this.labels.push({ text: label(), x: x + PADDING, y, width: wide, quiet: hue < 0 });
    }
  }

  draw(context: CanvasRenderingContext2D, palette: Palette): void {
    for (const [hue, boxes] of this.byHue) {
      context.fillStyle = hue < 0 ? palette.quiet : (palette.hues[hue] ?? palette.quiet);
      for (let at = 0; at < boxes.length; at += 3) {
        context.fillRect(boxes[at] ?? 0, boxes[at + 1] ?? 0, boxes[at + 2] ?? 0, this.height);
      }
    }
    context.textAlign = 'left';
    const letter = letterWidth(context);
    for (const { text, x, y, width, quiet } of this.labels) {
      context.fillStyle = quiet ? palette.quietText : palette.spanText;
      const fitting = shortened(text, width - 2 * PADDING, letter);
      if (fitting) context.fillText(fitting, x, y + this.height / 2 + 0.5);
    }
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz_:.0123456789';
const widths = new Map<string, number>();

/** Mean width of a letter; measuring each label would cost more than drawing it. */
function letterWidth(context: CanvasRenderingContext2D): number {
  let width = widths.get(context.font);
  if (width === undefined) {
    width = (context.measureText(letters).width / letters.length) * 1.04;
    widths.set(context.font, width);
  }
  return width;
}

function shortened(text: string, width: number, letter: number): string {
  const fitting = Math.floor(width / letter);
  if (text.length <= fitting) return text;
  return fitting < 3 ? '' : `${text.slice(0, fitting - 1)}…`;
}

/** The same name has the same colour everywhere, whatever numbers it ends with. */
export function hueOf(name: string, hues: number): number {
  let hash = 2166136261;
  for (const char of name.replace(/\d+/g, '#')) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  }
  return (hash >>> 8) % hues;
}
