/** A folder that nobody trusts yet, in an editor of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { ReportTab } from '../lib/report-tab.mjs';
import { withWorkbench } from '../lib/session.mjs';
import { until } from '../lib/until.mjs';
import { RECORDED_TRACE } from './recordings.mjs';
import { PROFILE, servers } from './shared.mjs';

const status = (bench) => bench.page.locator('[id="stepscope.stepscope.stepscope.status"]');

/** As somebody made it on another machine, in a terminal. */
function saveReport(python, file) {
  const trace = path.join(path.dirname(file), 'recorded.json');
  const events = RECORDED_TRACE.map((event) => ({ ph: 'X', pid: 7, tid: 7, ...event }));
  writeFileSync(trace, JSON.stringify({ traceEvents: events }));
  const made = spawnSync(python, ['-m', 'stepscope', 'open', trace, '--json', file], {
    env: { ...process.env, PYTHONPATH: path.join(ROOT, 'pyserver') },
    encoding: 'utf8',
  });
  assert.equal(made.status, 0, made.stderr);
}

export const scenarios = [
  {
    name: 'a workspace that is not trusted runs nothing until it is',
    async check({ python }) {
      const file = 'tabular.py';
      const settings = { 'stepscope.interpreter': [python] };
      await withWorkbench({ folder: 'restricted', file, settings, trust: false }, async (own) => {
        const { bench, workspace } = own;
        await bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
        await status(bench).filter({ hasText: 'Stepscope' }).waitFor();
        assert.match((await status(bench).getAttribute('aria-label')) ?? '', /not trusted/);
        await bench.command(PROFILE);
        const message = await bench.notified('only works in a trusted workspace');
        assert.match(message, /Manage Workspace Trust/);
        assert.deepEqual(servers(own), []);
        assert.deepEqual(await bench.codeLenses(), []);
        await bench.shot('42-restricted');
        saveReport(python, path.join(workspace, 'report.json'));
        await bench.clearNotifications();
        await bench.chooseInExplorer('report.json', 'Open saved report');
        await new ReportTab(bench).shown('recorded');
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
