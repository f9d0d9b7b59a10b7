/** The mark beside a line number: bars that rise with the level, hollow where it is stale. */
import type { Mark } from './plan';

const BAR_WIDTH = 4;
const GAP = 1.5;
const HEIGHTS = [4, 8, 12] as const;
const SIZE = 16;

/**
 * An SVG of 16 by 16. The number and height of the bars tell the level without any colour; a stale
 * mark is an outline.
 */
export function markSvg({ level, stale }: Mark, color: string): string {
  const bars = HEIGHTS.slice(0, level).map((height, index) => {
    const x = 0.5 + index * (BAR_WIDTH + GAP);
    const y = SIZE - height - 2;
    const look = stale
      ? `fill="none" stroke="${color}" stroke-opacity="0.7"`
      : `fill="${color}" stroke="${color}"`;
    return `<rect x="${x}" y="${y}" width="${BAR_WIDTH - 0.5}" height="${height}" ${look}/>`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" ` +
    `viewBox="0 0 ${SIZE} ${SIZE}">${bars.join('')}</svg>`
  );
}

export function dataUri(svg: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
