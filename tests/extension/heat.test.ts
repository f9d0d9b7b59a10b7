import { describe, expect, it } from 'vitest';
import { heatColors } from '../../extension/src/contributions';
import { colorDefaults, colorOf, type ThemeKind } from '../../extension/src/decorations/colors';
import { dataUri, markSvg } from '../../extension/src/decorations/icon';
import { HeatMap, LEVELS, MARKS, planMarks } from '../../extension/src/decorations/plan';
import type { HeatParams, HotLine } from '../../extension/src/protocol';
import { manifest } from './manifest';

const hot = (line: number, level: HotLine['level'], stale = false): HotLine => ({
  line,
  level,
  share: '10 %',
  stale,
});

describe('the plan of marks', () => {
  it('puts each line under its own mark, and empties the others', () => {
    const plan = planMarks([hot(3, 3), hot(5, 1), hot(9, 3), hot(7, 3, true)], 20);
    const byMark = MARKS.map(({ level, stale }, index) => [level, stale, plan[index]]);
    expect(byMark).toEqual([
      [1, false, [4]],
      [1, true, []],
      [2, false, []],
      [2, true, []],
      [3, false, [2, 8]],
      [3, true, [6]],
    ]);
  });

  it('leaves out what is not in the text', () => {
    expect(planMarks([hot(0, 1), hot(4, 1), hot(5, 1)], 4).flat()).toEqual([3]);
  });
});

describe('the heat of files', () => {
  const heat = (version: number | null, ...lines: HotLine[]): HeatParams => ({
    uri: 'file:///a.py',
    version,
    lines,
  });
  const at = (version: number) => ({ uri: 'file:///a.py', version });

  it('is drawn in the text that it belongs to', () => {
    const map = new HeatMap();
    map.set('file:///a.py', heat(4, hot(1, 2)));
    expect(map.linesFor(at(4))).toEqual([hot(1, 2)]);
    expect(map.linesFor({ uri: 'file:///b.py', version: 1 })).toEqual([]);
  });

  it('stays as the editor has moved it until the server knows the newer text', () => {
    const map = new HeatMap();
    map.set('file:///a.py', heat(4, hot(1, 2)));
    expect(map.linesFor(at(5))).toBeUndefined();
    map.set('file:///a.py', heat(5, hot(2, 2)));
    expect(map.linesFor(at(5))).toEqual([hot(2, 2)]);
  });

  it('of a file that was not open is drawn when it is', () => {
    const map = new HeatMap();
    map.set('file:///a.py', heat(null, hot(1, 2)));
    expect(map.linesFor(at(1))).toEqual([hot(1, 2)]);
  });

  it('goes with an empty list, and with the server', () => {
    const map = new HeatMap();
    map.set('file:///a.py', heat(4, hot(1, 2)));
    map.set('file:///a.py', heat(4));
    expect(map.linesFor(at(9))).toEqual([]);
    map.set('file:///a.py', heat(4, hot(1, 2)));
    map.clear();
    expect(map.linesFor(at(4))).toEqual([]);
  });
});

describe('the picture of a mark', () => {
  it('tells levels and staleness apart without its colour', () => {
    const colorless = MARKS.map((mark) => markSvg(mark, '#000000'));
    expect(new Set(colorless).size).toBe(MARKS.length);
    const bars = (svg: string) => svg.split('<rect').length - 1;
    expect(LEVELS.map((level) => bars(markSvg({ level, stale: false }, '#000000')))).toEqual([
      1, 2, 3,
    ]);
  });

  it('is a data URI of the SVG', () => {
    const svg = markSvg({ level: 2, stale: true }, '#E69F00');
    const [head = '', body = ''] = dataUri(svg).split(',');
    expect(head).toBe('data:image/svg+xml;base64');
    expect(Buffer.from(body, 'base64').toString()).toBe(svg);
  });
});

describe('the colours of marks', () => {
  const defaults = colorDefaults(manifest);
  const BACKGROUNDS: Record<ThemeKind, string> = {
    dark: '#1F1F1F',
    light: '#FFFFFF',
    highContrast: '#000000',
    highContrastLight: '#FFFFFF',
  };

  /** WCAG 2 contrast ratio. */
  function contrast(one: string, other: string): number {
    const luminance = (color: string) => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5]
        .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  }

  it('are contributed for every kind of theme', () => {
    expect(Object.keys(defaults)).toEqual([...heatColors]);
  });

  it('stand out more the hotter a line is, also to who sees no colours', () => {
    for (const kind of ['dark', 'light'] as const) {
      const ratios = heatColors.map((id) =>
        contrast(defaults[id]?.[kind] ?? '', BACKGROUNDS[kind]),
      );
      expect(ratios).toEqual([...ratios].sort((a, b) => a - b));
      // What a graphical object needs by WCAG 1.4.11 is 3; the faintest may be a little fainter.
      expect(ratios[0]).toBeGreaterThan(2.5);
      expect(ratios[1]).toBeGreaterThan(3);
    }
    for (const kind of ['highContrast', 'highContrastLight'] as const) {
      for (const id of heatColors) {
        expect(contrast(defaults[id]?.[kind] ?? '', BACKGROUNDS[kind])).toBeGreaterThan(7);
      }
    }
  });

  it("are the person's own where those are colours", () => {
    const color = (customized: Record<string, unknown>) =>
      colorOf(3, 'dark', 'Solarized', customized, defaults);
    const ours = defaults['stepscope.heatHigh']?.dark;
    expect(color({})).toBe(ours);
    expect(color({ 'stepscope.heatHigh': '#abcdef' })).toBe('#abcdef');
    expect(color({ 'stepscope.heatHigh': '"/><script>' })).toBe(ours);
    expect(
      color({ 'stepscope.heatHigh': '#abcdef', '[Solarized]': { 'stepscope.heatHigh': '#123' } }),
    ).toBe('#123');
    expect(color({ '[Other]': { 'stepscope.heatHigh': '#123' } })).toBe(ours);
  });
});
