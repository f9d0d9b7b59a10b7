/** Live memory over time, drawn by uPlot; the peak is marked. */
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { MemoryPoint } from '../../generated/report';
import { duration, size } from '../format';
import { text } from '../strings';
import { onThemeChange, readPalette, type Palette } from '../theme';

interface Props {
  points: readonly MemoryPoint[];
  /** The same in words. */
  label: string;
}

const HEIGHT = 220;

export function MemoryChart({ points, label }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const [under, setUnder] = useState('');
  useEffect(() => {
    const element = holder.current;
    if (!element) return undefined;
    let chart = draw(element, points, setUnder);
    const redraw = () => {
      chart.destroy();
      chart = draw(element, points, setUnder);
    };
    const resized = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    resized.observe(element);
    const ended = onThemeChange(redraw);
    return () => {
      ended();
      resized.disconnect();
      chart.destroy();
    };
  }, [points]);
  return (
    <>
      <div ref={holder} class="memory-chart" role="img" aria-label={label} />
      <p class="muted" aria-hidden="true">
        {under}
      </p>
    </>
  );
}

function draw(
  element: HTMLElement,
  points: readonly MemoryPoint[],
  tell: (under: string) => void,
): uPlot {
  const palette = readPalette();
  const times = points.map(({ at_ms: at }) => at);
  const bytes = points.map(({ live_bytes: live }) => live);
  const peak = bytes.reduce((best, value, at) => (value > (bytes[best] ?? 0) ? at : best), 0);
  const axis: uPlot.Axis = {
    stroke: palette.muted,
    font: palette.font,
    grid: { stroke: palette.line, width: 1 },
    ticks: { stroke: palette.line, width: 1 },
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, most * 1.15 || 1] } },
    axes: [
      { ...axis, values: (_, ticks) => ticks.map(duration) },
      { ...axis, size: 72, values: (_, ticks) => ticks.map(size) },
    ],
    series: [
      {},
      {
        stroke: palette.accent,
        width: 1.5,
        fill: palette.band,
        points: { show: false },
        // Between two points nothing was allocated or freed.
        ...(uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
      },
    ],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false } },
    hooks: {
      setCursor: [
        ({ cursor }) => {
          const point = points[cursor.idx ?? -1];
          tell(point ? text('memoryAt', size(point.live_bytes), duration(point.at_ms)) : '');
        },
      ],
      draw: [
        (chart) => {
          markPeak(chart, palette, times[peak] ?? 0, bytes[peak] ?? 0);
        },
      ],
    },
  };
  return new uPlot(options, [times, bytes], element);
}

function markPeak(chart: uPlot, palette: Palette, time: number, bytes: number): void {
  const { ctx } = chart;
  const [x, y] = [chart.valToPos(time, 'x', true), chart.valToPos(bytes, 'y', true)];
  const { left, top, width, height } = chart.bbox;
  if (x < left || x > left + width) return;
  ctx.save();
  ctx.strokeStyle = palette.text;
  ctx.fillStyle = palette.text;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(x, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
  ctx.font = palette.font.replace('11px', `${11 * devicePixelRatio}px`);
  const label = `${text('peak')} ${size(bytes)}`;
  const fits = x + ctx.measureText(label).width + 10 * devicePixelRatio < left + width;
  ctx.textAlign = fits ? 'left' : 'right';
  ctx.fillText(label, x + (fits ? 7 : -7) * devicePixelRatio, y - 6 * devicePixelRatio);
  ctx.restore();
}
