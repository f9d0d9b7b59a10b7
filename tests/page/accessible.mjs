/** For everyone: axe in every theme, each kind of report, and the keyboard alone. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { openPage } from './browser.mjs';
import { cpuOnly, ranks, report, snapshot } from './reports.mjs';
import { THEMES } from './themes.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function violations(page) {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(
    (tags) => globalThis.axe.run(document, { runOnly: { type: 'tag', values: tags } }),
    TAGS,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

const looks = [
  ...Object.keys(THEMES).map((theme) => ({ name: theme, theme })),
  { name: 'own page, dark', media: { colorScheme: 'dark' } },
  { name: 'own page, forced colours', media: { forcedColors: 'active' } },
];
const kinds = { 'CPU only': cpuOnly, 'memory snapshot': snapshot, ranks };

export const checks = [
  ...looks.map(({ name, theme, media }) => ({
    name: `axe finds nothing in ${name}`,
    async check(chromium, pictures) {
      const state = theme ? { stale: ['/home/me/project/model.py'], canProfile: true } : {};
      const shown = await openPage(chromium, { report: report(), theme, media, state });
      const { page } = shown;
      for (const summary of await page.locator('summary').all()) await summary.click();
      // What lies under the bar on top would count as too small to hit.
      await page.evaluate(() => globalThis.scrollTo(0, 0));
      assert.deepEqual(await violations(page), []);
      const file = path.join(pictures, `${name.replaceAll(/[ ,]+/g, '-')}.png`);
      await page.screenshot({ path: file, fullPage: true });
      assert.deepEqual(shown.errors, []);
      await shown.close();
    },
  })),
  ...Object.entries(kinds).map(([name, make]) => ({
    name: `axe finds nothing in a report of ${name}`,
    async check(chromium, pictures) {
      const shown = await openPage(chromium, { report: make(), theme: 'dark' });
      assert.deepEqual(await violations(shown.page), []);
      await shown.page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
      assert.deepEqual(shown.errors, []);
      await shown.close();
    },
  })),
  {
    name: 'without motion nothing moves by itself',
    async check(chromium) {
      const media = { reducedMotion: 'reduce' };
      const { page, close } = await openPage(chromium, { report: report(), theme: 'dark', media });
      const behaviour = await page.evaluate(
        () => getComputedStyle(document.documentElement).scrollBehavior,
      );
      assert.equal(behaviour, 'auto');
      await close();
    },
  },
  {
    name: 'Tab reaches every control and shows where it is',
    async check(chromium) {
      const { page, close } = await openPage(chromium, { report: report(), theme: 'light' });
      const wanted = await page.evaluate(
        () =>
          [...document.querySelectorAll('button, input, a[href], summary, [tabindex="0"]')].filter(
            (element) => !element.disabled && element.checkVisibility(),
          ).length,
      );
      const seen = new Set();
      let unmarked = '';
      for (let at = 0; at < wanted + 5; at += 1) {
        await page.keyboard.press('Tab');
        const here = await page.evaluate(() => {
          const { activeElement: active } = document;
          active.dataset.reached ??= String(Math.random());
          const marked = active.matches('input[type="radio"]') ? active.nextElementSibling : active;
          const { outlineStyle, outlineWidth } = getComputedStyle(marked);
          const shown = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
          return { id: active.dataset.reached, shown, html: active.outerHTML.slice(0, 90) };
        });
        seen.add(here.id);
        // Behind the last control the focus is on the page itself before it comes round.
        if (!here.shown && !here.html.startsWith('<body')) unmarked ||= here.html;
      }
      assert.equal(unmarked, '');
      // One of two radio buttons is reached by Tab, the other by an arrow; the body comes round.
      assert.ok(seen.size >= wanted - 1, `${seen.size} of ${wanted} controls were reached`);
      await close();
    },
  },
];
