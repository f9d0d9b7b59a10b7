/** What stands on lines: marks, hovers that lead on, totals, and the measuring of a fix. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sample } from '../lib/sample.mjs';
import { eventually, until } from '../lib/until.mjs';
import { PROFILE, RUN_LIMIT, COST } from './shared.mjs';

const BLOCKS = `from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x):
        y = self.wide(x).relu()
        return x + self.narrow(y)
`;
// Anomaly mode costs a large part of such a step.
const TRAIN = `import torch
from blocks import Block
from torch import nn, optim

torch.autograd.set_detect_anomaly(True)
net = nn.Sequential(*[Block(64) for _ in range(4)], nn.Linear(64, 1))
optimizer = optim.SGD(net.parameters(), lr=0.01)
for step in range(400):
    x = torch.randn(64, 64)
    loss = net(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`;
const NAME = 'lines_train.py';
const PROFILING = `Profiling ${NAME}`;

const DARK = { 'workbench.colorTheme': 'Default Dark Modern' };

const place = (workspace, name) => new Sample(path.join(workspace, name));

/** Switch the colour theme and wait until it is there. */
async function inTheme(bench, vscode, theme, kind, look) {
  vscode.writeSettings({ 'workbench.colorTheme': theme });
  await bench.page.locator(`.monaco-workbench.${kind}`).waitFor();
  await bench.idle();
  await look();
}

export const scenarios = [
  {
    name: 'hot lines of every file have marks, and blocks their totals',
    async check({ bench, vscode, workspace }) {
      writeFileSync(path.join(workspace, 'blocks.py'), BLOCKS);
      writeFileSync(path.join(workspace, NAME), TRAIN);
      vscode.writeSettings(DARK);
      await bench.page.locator('.monaco-workbench.vs-dark').waitFor();
      await bench.openFile(NAME);
      await bench.command(PROFILE);
      await bench.notified(PROFILING);
      await bench.gone(PROFILING, RUN_LIMIT);
      const train = place(workspace, NAME);
      const loss = train.line('loss = net(x)');
      assert.match(await bench.hintAt(loss, train.row(loss)), COST);
      await until('the gutter has marks', async () => (await bench.marks()) >= 2);
      await eventually(async () => {
        const titles = (await bench.codeLenses()).map((lens) => lens.title);
        assert.match(titles.join('\n'), /^Step \d.* on the CPU.* · measured \d\d:\d\d$/m);
        assert.match(titles.join('\n'), /^this loop · \d+ % · /m);
      });
      await bench.shot('60-lines-dark');
      await bench.openFile('blocks.py');
      await until('the other file has marks too', async () => (await bench.marks()) >= 2);
      await eventually(async () => {
        const titles = (await bench.codeLenses()).map((lens) => lens.title).join('\n');
        assert.match(titles, /^forward · \d+ % · \d.* forward, \d.* backward$/m);
      });
      await bench.shot('61-lines-other-file');
      await inTheme(bench, vscode, 'Default Light Modern', 'vs', () =>
        bench.shot('62-lines-light'),
      );
      await inTheme(bench, vscode, 'Default High Contrast', 'hc-black', () =>
        bench.shot('63-lines-high-contrast'),
      );
      vscode.writeSettings(DARK);
      await bench.page.locator('.monaco-workbench.vs-dark').waitFor();
    },
  },
  {
    name: 'a hover leads on: figures to the clipboard, pages that explain',
    async check({ bench, workspace }) {
      const blocks = place(workspace, 'blocks.py');
      const text = await bench.hover(blocks.line('self.wide(x)'));
      assert.match(text, /CPU figures/);
      assert.match(text, /Measured \d\d:\d\d on cpu/);
      await bench.shot('64-hover-links');
      await bench.clickInHover('Copy');
      await until('the status bar says so', () =>
        bench.page.locator('.statusbar', { hasText: 'Figures copied' }).isVisible(),
      );
      await bench.leaveHover();
      await bench.hover(blocks.line('self.wide(x)'));
      await bench.clickInHover('What these figures mean');
      await bench.page.locator('.tab.active', { hasText: 'reading-lines.md' }).waitFor();
      await bench.command('View: Close Editor');
      await bench.hover(blocks.line('self.wide(x)'));
      await bench.clickInHover('Open report here');
      const report = bench.page.locator('.tab', { hasText: `Report: ${NAME}` });
      await report.waitFor();
      // The page has the keyboard now, so no command is typed.
      await report.click({ button: 'middle' });
      await report.waitFor({ state: 'detached' });
      await bench.page.locator('.editor-instance .view-lines').first().click();
    },
  },
  {
    name: 'an edited line is dimmed and dated',
    async check({ bench, workspace }) {
      const blocks = place(workspace, 'blocks.py');
      const line = blocks.line('self.wide(x)');
      await bench.goTo(line);
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.type('#');
      await until('the hint is dated', async () => {
        const shown = (await bench.visibleLines()).get(line) ?? '';
        return /% · .*\d\d:\d\d, before edit$/.test(shown.trimEnd());
      });
      await bench.shot('65-stale');
      await bench.page.keyboard.press('Control+z');
      await until('the edit is undone', async () => {
        return !(await bench.visibleLines()).get(line)?.includes('#');
      });
    },
  },
  {
    name: 'shares alone, and no marks, by setting',
    async check({ bench, vscode, workspace }) {
      const blocks = place(workspace, 'blocks.py');
      const line = blocks.line('self.wide(x)');
      vscode.writeSettings({
        ...DARK,
        'stepscope.inlayHints.precision': 'share',
        'stepscope.heat.enabled': false,
        'stepscope.codeLens.totals': false,
      });
      await eventually(async () => {
        assert.match(await bench.hintAt(line, blocks.row(line)), /^\d+ %$/);
      });
      await until('there are no marks', async () => (await bench.marks()) === 0);
      await until('there are no totals', async () => {
        return (await bench.codeLenses()).every(({ title }) => !title.includes('%'));
      });
      await bench.shot('66-share');
      vscode.writeSettings(DARK);
      await until('the marks are back', async () => (await bench.marks()) === 2);
      await bench.command('View: Split Editor Right');
      await until('the second editor has them too', async () => (await bench.marks()) === 4);
      await bench.shot('70-split');
      await bench.command('View: Close Editor');
      await until('one editor is left', async () => (await bench.marks()) === 2);
    },
  },
  {
    name: 'a fix is previewed, and measured on the own step',
    async check({ bench, vscode, workspace }) {
      const train = place(workspace, NAME);
      const line = train.line('set_detect_anomaly');
      await bench.openFile(NAME);
      const titles = await bench.openQuickFixes(line);
      await bench.shot('67-ways-to-fix');
      const preview = titles.find((title) => title.startsWith('Preview: '));
      assert.ok(preview, titles.join(', '));
      await bench.chooseQuickFix(preview);
      await bench.page.locator('.refactor-preview, .bulk-edit-panel').first().waitFor();
      await bench.shot('68-preview');
      await bench.page.getByText('Discard', { exact: true }).click();
      await bench.page.locator('.part.panel').waitFor({ state: 'hidden' });
      assert.match(train.text, /set_detect_anomaly/, 'a preview edits nothing');
      await bench.openQuickFixes(line);
      await bench.chooseQuickFix('Fix and measure again');
      await bench.notified(PROFILING);
      const said = await bench.notified('Switch anomaly mode off', RUN_LIMIT);
      // Which of the two it is depends on how busy this machine is; the arithmetic has unit tests.
      assert.match(
        said,
        /step \d.* → \d.*(% less \(spread \d+ %\)|than steps differ by anyway \(\d+ %\))\. Undo/,
      );
      assert.doesNotMatch(train.text, /set_detect_anomaly/, 'the fixed file is on the disk');
      await until('the hints are those of the new run', async () => {
        const [step] = await bench.codeLenses();
        return step !== undefined && /^Step .* measured \d\d:\d\d$/.test(step.title);
      });
      await bench.shot('69-measured');
      vscode.writeSettings({});
      await bench.page.locator('.monaco-workbench.vs').waitFor();
    },
  },
];
