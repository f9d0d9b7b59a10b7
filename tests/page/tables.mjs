/** The tables, and the ways from and to a line. */
import assert from 'node:assert/strict';
import { openPage } from './browser.mjs';
import { cpuOnly, long, ranks, report, snapshot } from './reports.mjs';

const MODEL = '/home/me/project/model.py';
const cells = (page, section, column) =>
  page
    .locator(`#${section} table.data`)
    .first()
    .evaluate(
      (table, at) => [...table.tBodies[0].rows].map((row) => row.cells[at].innerText),
      column,
    );

export const checks = [
  {
    name: 'the step is one bar, and the same as a table',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      const widths = await page
        .locator('#step .bar .part')
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
      assert.equal(widths.length, 9);
      const all = widths.reduce((sum, width) => sum + width, 0);
      for (const [at, share] of [0.42, 0.21, 0.12, 0.08].entries()) {
        assert.ok(Math.abs(widths[at] / all - share) < 0.01, `${at}: ${widths[at] / all}`);
      }
      const rows = await page.locator('#step .legend tbody tr').allInnerTexts();
      assert.match(rows[0], /^compute\s+42 %\s+16\.8 ms\s+Arithmetic$/);
      await close();
    },
  },
  {
    name: 'a head sorts its column, both ways',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      const byCost = await cells(page, 'lines', 3);
      assert.deepEqual(byCost.slice(0, 3), ['8.00 ms', '7.00 ms', '6.00 ms']);
      const head = page.locator('#lines th', { hasText: 'Cost' });
      assert.equal(await head.getAttribute('aria-sort'), 'descending');
      await head.getByRole('button').click();
      assert.equal(await head.getAttribute('aria-sort'), 'ascending');
      assert.deepEqual((await cells(page, 'lines', 3)).slice(0, 2), ['<1 µs', '2.40 ms']);
      await page.locator('#lines th', { hasText: 'Line' }).getByRole('button').click();
      assert.equal((await cells(page, 'lines', 0))[0], 'model.py:20');
      await close();
    },
  },
  {
    name: 'the filter leaves the rows that match every word',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      await page.getByLabel('Filter Lines', { exact: true }).fill('forward model.py:2');
      assert.equal((await cells(page, 'lines', 0)).length, 6);
      await page.getByLabel('Filter Lines', { exact: true }).fill('nothing like it');
      assert.match(await page.locator('#lines').innerText(), /Nothing matches/);
      await close();
    },
  },
  {
    name: 'of thousands of lines some are drawn, and more on demand',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: long(5000), theme: 'dark' });
      assert.equal((await cells(page, 'lines', 0)).length, 50);
      assert.match(await page.locator('#lines [role="status"]').innerText(), /^50 of 5,000$/);
      await page.locator('#lines').getByRole('button', { name: 'Show 200 more' }).click();
      assert.equal((await cells(page, 'lines', 0)).length, 250);
      await close();
    },
  },
  {
    name: 'a click goes to the line',
    async check(chromium) {
      const { page, sent, close } = await openPage(chromium, { report: report(), theme: 'dark' });
      await page.locator('#lines').getByRole('button', { name: 'Go to model.py:22' }).click();
      await page.locator('#findings').getByRole('button', { name: 'Explain slow-input' }).click();
      assert.deepEqual((await sent()).slice(1), [
        { kind: 'goTo', file: MODEL, line: 22 },
        { kind: 'explain', rule: 'slow-input' },
      ]);
      await close();
    },
  },
  {
    name: 'a line that is asked for is shown, however far down it is',
    async check(chromium) {
      const whole = long(3000);
      const last = whole.lines.at(-1);
      const focus = { file: last.file, line: last.line };
      const { page, close } = await openPage(chromium, {
        report: whole,
        theme: 'dark',
        state: { focus },
      });
      const row = page.locator('#lines tr[aria-current="true"]');
      await row.waitFor();
      assert.match(await row.innerText(), new RegExp(`:${last.line}\\b`));
      assert.ok(await row.evaluate((element) => element === document.activeElement));
      const box = await row.boundingBox();
      assert.ok(box.y > 0 && box.y < 900, `the row is at ${box.y}`);
      const [first] = whole.lines;
      await page.evaluate(
        ([file, line]) => globalThis.postMessage({ kind: 'focus', file, line }, '*'),
        [first.file, first.line],
      );
      await page
        .locator('#lines tr[aria-current="true"]', { hasText: `part0.py:${first.line}` })
        .waitFor();
      await close();
    },
  },
  {
    name: 'in a page of its own a click shows the text of the line',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report() });
      await page.locator('#lines').getByRole('button', { name: 'Go to model.py:22' }).click();
      const dialog = page.getByRole('dialog');
      assert.match(await dialog.innerText(), /x = self\.block_2\(x\)/);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await close();
    },
  },
  {
    name: 'what was not measured is said, not shown as 0',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: snapshot(), theme: 'dark' });
      assert.match(await page.locator('header').innerText(), /not timed/);
      assert.match(await page.locator('#step').innerText(), /Nothing was timed/);
      assert.equal(await page.locator('#timeline, #flame, #operators').count(), 0);
      const heads = await page.locator('#lines th').allInnerTexts();
      assert.ok(!heads.some((head) => /Cost|Forward|Calls/.test(head)), heads.join());
      assert.match((await cells(page, 'lines', 2))[0], /MB$/);
      await close();
    },
  },
  {
    name: 'figures of a CPU are marked as such, and ranks stand side by side',
    async check(chromium) {
      const cpu = await openPage(chromium, { report: cpuOnly(), theme: 'dark' });
      assert.match(await cpu.page.locator('header').innerText(), /CPU only/);
      await cpu.close();
      const several = await openPage(chromium, { report: ranks(), theme: 'dark' });
      assert.doesNotMatch(await several.page.locator('header').innerText(), /CPU only/);
      assert.match(
        await several.page.locator('#ranks').innerText(),
        /3 of 4 ranks were read\. Nothing was found of rank 3\./,
      );
      await several.close();
    },
  },
  {
    name: 'stale files and what the panel says are shown, in the words that it passes',
    async check(chromium) {
      const { page, sent, close } = await openPage(chromium, {
        report: report(),
        theme: 'dark',
        strings: { findings: 'Constats', stale: 'Modifié', lines: 7, unknown: 'x' },
        state: { canProfile: true, source: { kind: 'file', uri: 'file:///train.py' } },
      });
      assert.equal(await page.locator('#findings h2').innerText(), 'Constats');
      assert.equal(await page.locator('#lines h2').innerText(), 'Lines');
      await page.evaluate(
        (file) => globalThis.postMessage({ kind: 'stale', files: [file] }, '*'),
        MODEL,
      );
      await page.locator('.remark.warning', { hasText: 'Modifié' }).waitFor();
      await page.getByRole('button', { name: 'Measure again' }).click();
      assert.deepEqual((await sent()).at(-1), { kind: 'profile' });
      const kept = await page.evaluate(() => globalThis.panel.state);
      assert.deepEqual(kept, { source: { kind: 'file', uri: 'file:///train.py' } });
      await close();
    },
  },
];
