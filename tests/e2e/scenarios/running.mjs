/** How a file is run, what it prints, and the state of the server. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually, until } from '../lib/until.mjs';
import { A_STEP, PROFILE, RUN_LIMIT, runs, servers } from './shared.mjs';

/** Tells its arguments, and fails on request. */
const TALKS = `import sys
import torch

print("arguments:", sys.argv[1:])
if "fail" in sys.argv:
    raise RuntimeError("asked to fail")
net = torch.nn.Linear(64, 64)
for n in range(60):
    net(torch.rand(32, 64)).square().mean().backward()
    net.zero_grad()
`;
/** With a comment and a trailing comma, as people write it. */
const LAUNCH = `{
  // Written by a person.
  "configurations": [
    {"name": "Talk small", "type": "debugpy", "request": "launch",
     "program": "\${workspaceFolder}/talks.py", "args": ["--size", "small"]},
    {"name": "Asks", "type": "debugpy", "request": "launch",
     "program": "\${file}", "args": ["\${input:size}"]},
  ],
}`;

const STATUS = '[id="stepscope.stepscope.stepscope.status"]';
const status = (bench) => bench.page.locator(STATUS);

async function statusSays(bench, words) {
  await status(bench).filter({ hasText: words }).waitFor();
}

async function choose(bench, words) {
  const row = bench.page.locator('.quick-input-list .monaco-list-row', { hasText: words }).first();
  await row.click();
}

export const scenarios = [
  {
    name: 'the picker offers launch.json, and what is chosen is shown and remembered',
    async check({ bench, workspace }) {
      mkdirSync(path.join(workspace, '.vscode'), { recursive: true });
      writeFileSync(path.join(workspace, '.vscode', 'launch.json'), LAUNCH);
      writeFileSync(path.join(workspace, 'talks.py'), TALKS);
      await bench.openFile('talks.py');
      const rows = bench.page.locator('.quick-input-list .monaco-list-row');
      // The editor hears of a new launch.json in its own time.
      await eventually(async () => {
        await bench.page.keyboard.press('Escape');
        await bench.command('Stepscope: Profile with...');
        await rows.filter({ hasText: 'Talk small' }).waitFor({ timeout: 5_000 });
      }, 60_000);
      const refused = rows.filter({ hasText: 'Asks' });
      assert.match(await refused.innerText(), /\$\{input:size\}/);
      await bench.shot('30-picker');
      await choose(bench, 'Talk small');
      await bench.notified('Profiling talks.py (Talk small)', RUN_LIMIT);
      await bench.gone('Profiling talks.py', RUN_LIMIT);
      await statusSays(bench, /ms|µs/);
      await bench.command('Stepscope: Show output of the target');
      await bench.page
        .locator('.part.panel .view-line', { hasText: "['--size', 'small']" })
        .first()
        .waitFor();
      await bench.shot('31-output');
      await bench.closePanel();
    },
  },
  {
    name: 'the status item leads to the commands, and says how the file is run',
    async check({ bench }) {
      await status(bench).hover();
      await bench.page
        .locator('.monaco-hover:visible', { hasText: 'profiled with: Talk small' })
        .first()
        .waitFor();
      await bench.shot('32-status');
      await status(bench).click();
      await bench.page
        .locator('.quick-input-list .monaco-list-row', { hasText: 'Copy debug information' })
        .waitFor();
      await bench.shot('33-menu');
      await choose(bench, 'Copy debug information');
      await bench.notified('Copied: versions');
      await bench.clearNotifications();
      // The item keeps the focus, and with it its hover over the notifications.
      await bench.focusEditor();
      await bench.page.mouse.move(5, 5);
    },
  },
  {
    name: 'a target that fails has its output one click away',
    async check({ bench }) {
      await bench.command('Stepscope: Profile with...');
      await choose(bench, 'Enter arguments...');
      const input = bench.page.locator('.quick-input-widget input').first();
      await bench.page.locator('.quick-input-title', { hasText: 'Enter arguments' }).waitFor();
      await input.fill('fail');
      await bench.page.keyboard.press('Enter');
      await bench.notified('asked to fail', RUN_LIMIT);
      await bench.shot('34-failed');
      await bench.pressInNotification('asked to fail', 'Show output');
      await bench.page
        .locator('.part.panel .view-line', { hasText: 'RuntimeError: asked to fail' })
        .first()
        .waitFor();
      await bench.shot('35-output-of-failed');
      await bench.closePanel();
    },
  },
  {
    name: 'a restart ends the run, and says so',
    async check(context) {
      const { bench } = context;
      await bench.openFile('image_classifier.py');
      await bench.command(PROFILE);
      await bench.notified(A_STEP, RUN_LIMIT);
      await bench.command('Stepscope: Restart server');
      await bench.notified('the server of Stepscope has ended');
      await until('the processes of the run have ended', () => runs(context).length === 0);
      await bench.page.locator(`${STATUS} [aria-label*="ready"]`).waitFor();
      assert.ok(!(await bench.notificationTexts()).some((text) => text.includes('Canceled')));
      await bench.shot('36-restarted');
      await bench.clearNotifications();
    },
  },
  {
    name: 'a server that is killed is started again, and works',
    async check(context) {
      const { bench } = context;
      await until('a server runs', () => servers(context).length > 0);
      const before = servers(context).map(({ pid }) => pid);
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await until('another server runs', () =>
        servers(context).some(({ pid }) => !before.includes(pid)),
      );
      await bench.notified('is started again');
      await bench.clearNotifications();
      await bench.shot('37-killed');
      await bench.openFile('talks.py');
      await bench.command('Stepscope: Profile with...');
      await choose(bench, 'The settings of Stepscope');
      await bench.notified('Profiling talks.py', RUN_LIMIT);
      await bench.gone('Profiling talks.py', RUN_LIMIT);
      await statusSays(bench, /ms|µs/);
      await bench.shot('38-works-again');
    },
  },
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
];
