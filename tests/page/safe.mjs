/** A report may come from anywhere: nothing in it runs, and nothing leaves the page. */
import assert from 'node:assert/strict';
import { openPage } from './browser.mjs';
import { hostile, report } from './reports.mjs';

export const checks = [
  ...['dark', undefined].map((theme) => ({
    name: `names that are markup are shown as text ${theme ? 'in a panel' : 'in a page of its own'}`,
    async check(chromium) {
      const shown = await openPage(chromium, { report: hostile(), theme });
      const { page } = shown;
      assert.match(await page.locator('.verdict').innerText(), /<img src=x onerror/);
      assert.equal(await page.locator('main img, main script').count(), 0);
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
      assert.deepEqual(shown.requests, []);
      assert.deepEqual(shown.errors, []);
      await shown.close();
    },
  })),
  {
    name: 'the page asks nothing of a network, whatever is done on it',
    async check(chromium) {
      const shown = await openPage(chromium, { report: report(), theme: 'light' });
      const { page } = shown;
      for (const link of await page.locator('nav a').all()) await link.click();
      await page.getByRole('application', { name: 'Timeline' }).press('ArrowRight');
      await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('conv');
      await page.getByLabel('By module').check({ force: true });
      assert.deepEqual(shown.requests, []);
      assert.deepEqual(shown.errors, []);
      await shown.close();
    },
  },
  {
    name: 'a page whose data is no report says so',
    async check(chromium) {
      for (const [change, told] of [
        [{ schema: 'something/else' }, /not a Stepscope report/],
        [{ schema: 'stepscope/report/9' }, /does not read/],
        [{ lines: [{ file: 7 }] }, /damaged: report\.lines\.0/],
        [{ breakdown: { compute: 'much' } }, /damaged: report\.breakdown/],
      ]) {
        const broken = { ...report(), ...change };
        const shown = await openPage(chromium, { report: broken });
        assert.match(await shown.page.locator('main').innerText(), told);
        assert.deepEqual(shown.errors, []);
        await shown.close();
      }
    },
  },
];
