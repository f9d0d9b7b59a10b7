/**
 * `npm run bench:page`: how long a frame takes while a person zooms and pans through 200,000 spans.
 * One key per frame, as fast as the browser draws; what is told is the time from frame to frame and
 * the part of it that our own drawing takes. A budget, not a test: other work on the machine counts.
 */
import { openPage, startChromium } from './browser.mjs';
import { charts, report } from './reports.mjs';

const SPANS = 200_000;
const KEYS = [
  ...'w'.repeat(16),
  ...'dddd',
  ...'aaaa',
  ...'s'.repeat(16),
  ...'wwwwdddddddddddd',
  '0',
];

const chromium = await startChromium();
const large = report({ charts: charts({ spans: SPANS }) });
const { page } = await openPage(chromium, { report: report(), theme: 'dark' });
const opened = await page.evaluate(showAnother, large);
await page.getByRole('application', { name: 'Timeline' }).focus();
const frames = await page.evaluate(playKeys, KEYS);
await chromium.close();

const at = (values, part) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(1);
};
const tell = (what, values) =>
  console.log(
    `${what.padEnd(26)} median ${at(values, 0.5)} ms, p95 ${at(values, 0.95)} ms, longest ${at(values, 1)} ms`,
  );
console.log(`${SPANS.toLocaleString('en')} spans, ${frames.whole.length} frames`);
console.log(`from report to picture     ${opened.toFixed(0)} ms`);
tell('from frame to frame', frames.whole);
tell('our own drawing', frames.own);

/** Runs in the page: from the message to the frame in which it is drawn, in ms. */
async function showAnother(another) {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const arrived = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
  const began = performance.now();
  postMessage({ kind: 'report', report: another, strings: {}, state: {} }, '*');
  await arrived;
  for (let frame = 0; frame < 3; frame += 1) await nextFrame();
  return performance.now() - began;
}

/** Runs in the page. A callback asked for first in a frame runs first: ours lie round the drawing. */
async function playKeys(keys) {
  const target = document.activeElement;
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const whole = [];
  const own = [];
  let last = await nextFrame();
  for (let round = 0; round < 4; round += 1) {
    for (const key of keys) {
      let start = 0;
      requestAnimationFrame(() => (start = performance.now()));
      target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      const now = await nextFrame();
      own.push(performance.now() - start);
      whole.push(now - last);
      last = now;
    }
  }
  return { whole, own };
}
