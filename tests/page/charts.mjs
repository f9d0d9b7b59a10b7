/** Timeline, flame graph and memory: operated as a person would, and their work counted. */
import assert from 'node:assert/strict';
import { openPage } from './browser.mjs';
import { charts, report } from './reports.mjs';

const MODEL = '/home/me/project/model.py';
const SPANS = 200_000;

const timeline = (page) => page.getByRole('application', { name: 'Timeline' });
const drawn = (page, chart) =>
  page
    .locator(`.${chart} canvas`)
    .evaluate(
      (canvas) =>
        new Promise((resolve) =>
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(Number(canvas.dataset.drawn))),
          ),
        ),
    );

export const checks = [
  {
    name: 'a frame of 200,000 spans draws no more than the screen can show',
    async check(chromium) {
      const large = report({ charts: charts({ spans: SPANS }) });
      const spans = large.charts.timeline.lanes.reduce((sum, lane) => sum + lane.name.length, 0);
      assert.ok(spans > SPANS * 0.95, `only ${spans} spans were made`);
      const shown = await openPage(chromium, { report: large, theme: 'dark' });
      const { page } = shown;
      const lanes = timeline(page);
      const width = (await lanes.boundingBox()).width;
      // Seven rows, each at most two boxes per pixel.
      const most = 7 * 2 * width;
      const counts = [];
      for (const key of `0${'w'.repeat(8)}dd${'w'.repeat(8)}`) {
        await lanes.press(key);
        counts.push(await drawn(page, 'lanes'));
      }
      for (const count of counts) assert.ok(count > 0 && count <= most, `${counts}`);
      assert.ok(counts.at(-1) < 1500, `zoomed in, ${counts.at(-1)} spans are on the screen`);
      assert.deepEqual(shown.errors, []);
      await shown.close();
    },
  },
  {
    name: 'arrow keys go from span to span, and Enter to the line',
    async check(chromium) {
      const { page, sent, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      const lanes = timeline(page);
      const details = page.locator('#timeline .details');
      await lanes.press('ArrowDown');
      assert.match(await details.innerText(), /^step Marks/);
      await lanes.press('ArrowDown');
      assert.match(await details.innerText(), /model\.py:20/);
      await lanes.press('ArrowRight');
      assert.match(await details.innerText(), /Lines/);
      await lanes.press('ArrowDown');
      assert.match(await details.innerText(), /Thread 1 \(main\)/);
      await lanes.press('Enter');
      const last = (await sent()).at(-1);
      assert.equal(last.kind, 'goTo');
      assert.equal(last.file, MODEL);
      await lanes.press('Escape');
      assert.match(await details.innerText(), /Nothing selected/);
      await close();
    },
  },
  {
    name: 'a kernel leads to the operator that launched it, and back',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('conv2d_kernel');
      await page.getByRole('searchbox', { name: 'Search the timeline' }).press('Enter');
      const details = page.locator('#timeline .details');
      assert.match(await details.innerText(), /void conv2d_kernel.* Stream 7/);
      await details.getByRole('button', { name: 'Launched by aten::_conv2d' }).click();
      assert.match(await details.innerText(), /aten::_conv2d Thread 1 \(main\)/);
      await details.getByRole('button', { name: 'Launches void conv2d_kernel' }).click();
      assert.match(await details.innerText(), /Stream 7/);
      await close();
    },
  },
  {
    name: 'the mouse selects, zooms, pans and folds',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      await page.locator('#timeline').scrollIntoViewIfNeeded();
      await page.locator('#flame h2').scrollIntoViewIfNeeded();
      const canvas = page.locator('.lanes canvas');
      const box = await canvas.boundingBox();
      // The first row under the ruler and the head of its lane: the mark of the step.
      const [x, y] = [box.x + box.width / 2, box.y + 22 + 22 + 8];
      await page.mouse.move(x, y);
      assert.match(await page.locator('#timeline .tip').innerText(), /^step/);
      await page.mouse.click(x, y);
      assert.match(await page.locator('#timeline .details').innerText(), /^step Marks/);
      const whole = await drawn(page, 'lanes');
      await page.keyboard.down('Control');
      for (let at = 0; at < 8; at += 1) await page.mouse.wheel(0, -120);
      await page.keyboard.up('Control');
      const near = await drawn(page, 'lanes');
      assert.ok(near < whole / 4, `${whole} spans, zoomed in ${near}`);
      await page.getByRole('button', { name: 'Show all' }).click();
      assert.equal(await drawn(page, 'lanes'), whole);
      // The head of the host's lane: three rows become one.
      await page.mouse.click(box.x + 30, box.y + 22 + 2 * 48 + 11);
      assert.ok((await drawn(page, 'lanes')) < whole);
      await close();
    },
  },
  {
    name: 'a search of the timeline counts what it finds',
    async check(chromium) {
      const whole = report();
      const { page, close } = await openPage(chromium, { report: whole, theme: 'dark' });
      const { names, timeline: columns } = whole.charts;
      const wanted = columns.lanes.flatMap((lane) =>
        lane.name.filter((name) => names[name].includes('relu')),
      ).length;
      await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('relu');
      const status = page.locator('#timeline .search [role="status"]');
      assert.match(await status.innerText(), new RegExp(`^${wanted.toLocaleString('en')} of `));
      await close();
    },
  },
  {
    name: 'the flame graph is arranged by call path or by module, zoomed and searched',
    async check(chromium) {
      const { page, sent, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      const flame = page.getByRole('application', { name: 'Flame graph' });
      const details = page.locator('#flame .details');
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
        await flame.press(key);
      assert.match(await details.innerText(), /SmallResNet\.forward \(model\.py:40\) 8\.20 ms/);
      const whole = await drawn(page, 'flame');
      await flame.press('Enter');
      assert.ok((await drawn(page, 'flame')) < whole);
      await flame.press('g');
      assert.deepEqual((await sent()).at(-1), { kind: 'goTo', file: MODEL, line: 20 });
      await flame.press('Escape');
      await flame.press('0');
      assert.equal(await drawn(page, 'flame'), whole);
      await page.getByText('By module').click();
      await page.getByRole('searchbox', { name: 'Search the flame graph' }).fill('conv1');
      const status = page.locator('#flame .search [role="status"]');
      assert.match(await status.innerText(), /^6 of 20 nodes, 19\.8 ms$/);
      await close();
    },
  },
  {
    name: 'memory over time is drawn, and said in words',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'light' });
      const chart = page.locator('.memory-chart');
      assert.match(await chart.getAttribute('aria-label'), /begins with .* peaks with 4\d\d MB/);
      const inked = await chart.locator('canvas').evaluate((canvas) => {
        const { width, height } = canvas;
        const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
        return data.filter((_, at) => at % 4 === 3 && data[at] > 0).length / (width * height);
      });
      assert.ok(inked > 0.2, `only ${inked} of the chart is drawn on`);
      await close();
    },
  },
];
