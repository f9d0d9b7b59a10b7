/** A folder that nobody trusts yet, in an editor of its own; and the walkthrough. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { withWorkbench } from '../lib/session.mjs';
import { until } from '../lib/until.mjs';
import { PROFILE, servers } from './shared.mjs';

const status = (bench) => bench.page.locator('[id="stepscope.stepscope.stepscope.status"]');

async function refuseTrust(bench) {
  await bench.page
    .locator('.monaco-dialog-box .monaco-button', { hasText: /don't trust|No,/ })
    .first()
    .click();
}

export const scenarios = [
  {
    name: 'the walkthrough opens from the palette and leads to a copy of the sample',
    async check({ bench }) {
      await bench.command('Welcome: Open Walkthrough...');
      await bench.page
        .locator('.quick-input-list .monaco-list-row', { hasText: 'Find what a training step' })
        .first()
        .click();
      await bench.page
        .locator('.getting-started-step', { hasText: 'Apply a fix and measure again' })
        .waitFor();
      await bench.shot('40-walkthrough');
      await bench.command('Stepscope: Open sample');
      await bench.page
        .locator('.quick-input-list .monaco-list-row', { hasText: 'In the folder' })
        .click();
      // The folder has a file of that name, which stays as it is.
      await bench.page.locator('.tab.active', { hasText: 'image_classifier_2.py' }).waitFor();
      await bench.shot('41-sample');
    },
  },
  {
    name: 'a workspace that is not trusted runs nothing until it is',
    async check({ python }) {
      const file = 'tabular.py';
      const settings = { 'stepscope.interpreter': [python] };
      await withWorkbench({ folder: 'restricted', file, settings, trust: false }, async (own) => {
        const { bench, workspace } = own;
        await refuseTrust(bench);
        await status(bench).filter({ hasText: 'Stepscope' }).waitFor();
        assert.match((await status(bench).getAttribute('aria-label')) ?? '', /not trusted/);
        await bench.command(PROFILE);
        const message = await bench.notified('only works in a trusted workspace');
        assert.match(message, /Manage Workspace Trust/);
        assert.deepEqual(servers(own), []);
        assert.deepEqual(await bench.codeLenses(), []);
        await bench.shot('42-restricted');
        writeFileSync(path.join(workspace, 'report.json'), '{"schema": "something else"}');
        await bench.clearNotifications();
        await bench.chooseInExplorer('report.json', 'Open saved report');
        await bench.notified('report.json');
        assert.deepEqual(servers(own), []);
        await bench.shot('43-saved-report');
        await bench.command('Workspaces: Manage Workspace Trust');
        await bench.page
          .locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' })
          .first()
          .click();
        await until('the server runs', () => servers(own).length > 0, 60_000);
        await bench.shot('44-trusted');
      });
    },
  },
];
