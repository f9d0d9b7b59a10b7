/** The file that `--html` writes, opened from a disk as the person does to whom it was sent. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { pythonIn, ROOT, VENV } from '../../scripts/lib/paths.mjs';

/** Written by the command itself, of a trace whose names are markup. */
function writePage(folder) {
  mkdirSync(folder, { recursive: true });
  const made = spawnSync(pythonIn(VENV), ['-m', 'tests.page.write_export', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(made.status, 0, made.stderr);
  return pathToFileURL(path.join(folder, 'page.html')).href;
}

export const checks = [
  {
    name: 'an exported file shows its report from a disk, asks for nothing and runs no name',
    async check(chromium, pictures) {
      const url = writePage(path.join(pictures, 'exported'));
      const context = await chromium.newContext({ viewport: { width: 1200, height: 900 } });
      const page = await context.newPage();
      const requests = [];
      const errors = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.goto(url);
      await page.locator('main h1').waitFor();
      for (const chart of ['lanes', 'flame']) {
        const drawn = page.locator(`.${chart} canvas`);
        await page.waitForFunction(
          (canvas) => Number(canvas.dataset.drawn) > 0,
          await drawn.elementHandle(),
        );
      }
      await page.screenshot({ path: path.join(pictures, 'exported.png'), fullPage: true });

      const operators = page.locator('#operators');
      await assertText(operators, '</script><script>globalThis.hacked = 1</script>');
      await assertText(operators, "<img src=x onerror='globalThis.hacked = 1'>");
      assert.equal(await page.locator('main img, main script').count(), 0);
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined);

      await page.locator('#lines .place', { hasText: 'train.py:5' }).first().click();
      assert.match(await page.locator('dialog.source pre').innerText(), /def forward\(self, x\):/);

      // The policy holds: what is put into the page later neither runs nor loads.
      await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'globalThis.hacked = 2';
        document.body.append(script);
      });
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
      assert.deepEqual(requests, [url]);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0], /Content Security Policy/);
      await context.close();
    },
  },
];

async function assertText(within, text) {
  assert.ok((await within.innerText()).includes(text), `no ${text}`);
}
