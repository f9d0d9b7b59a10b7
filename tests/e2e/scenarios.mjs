/** What is checked, in the order in which one person would do it. Each starts where the last ended. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { marked } from './lib/processes.mjs';
import { Sample } from './lib/sample.mjs';
import { eventually, until } from './lib/until.mjs';

const PROFILE = 'Stepscope: Profile this model';
const PROFILING = 'Profiling image_classifier.py';
/** Part of what the progress says once the file makes steps; one phase alone may be too short. */
const A_STEP = ' · step ';
/** A whole run: starting Python and torch, the steps, the analysis. */
const RUN_LIMIT = 120_000;
const TRAINING_ROW = '    net(x).square().mean().backward()';
const TWO_LOOPS = `import torch

net = torch.nn.Linear(64, 64)
for x in torch.rand(5, 32, 64):
${TRAINING_ROW}
    net.weight.data -= 0.01 * net.weight.grad
    net.zero_grad()
with torch.no_grad():
    for x in torch.rand(60, 32, 64):
        guess = net(x).softmax(-1)
`;
const WANTS_CUDA = `import torch

net = torch.nn.Linear(64, 64).cuda()
for n in range(60):
    x = torch.rand(32, 64, device="cuda")
    net(x).square().mean().backward()
    net.zero_grad()
`;
const SAVES = `import torch

net = torch.nn.Linear(64, 64)
for n in range(60):
    net(torch.rand(32, 64)).square().mean().backward()
    net.zero_grad()
    with open("weights.txt", "w") as out:
        out.write("of the run")
    with open("new_log.txt", "a") as log:
        log.write("step")
`;
const RECORDED = `def forward(net, x):
    return net(x)


def main(net, batches):
    for x in batches:
        forward(net, x)
`;
/** A torch.profiler trace of it: three steps of 10 ms, 6 of them in `forward`. */
const RECORDED_TRACE = [0, 10_000, 20_000].flatMap((ts, step) => [
  { cat: 'python_function', name: 'recorded.py(5): main', ts, dur: 10_000 },
  { cat: 'user_annotation', name: `ProfilerStep#${step}`, ts, dur: 10_000 },
  { cat: 'python_function', name: 'recorded.py(1): forward', ts: ts + 1_000, dur: 6_000 },
  { cat: 'cpu_op', name: 'aten::linear', ts: ts + 1_100, dur: 5_800 },
]);
const COST = /^(<1|>99|\d+(\.\d+)?) % · \d+(\.\d+)? (µs|ms|s)( · ↑ \d+(\.\d+)? [kMG]?B)?$/;
const MEMORY = /^↑ \d+(\.\d+)? [kMG]?B$/;

async function runToTheEnd(bench) {
  await bench.notified(PROFILING);
  await bench.gone(PROFILING, RUN_LIMIT);
}

/** Processes that run the profiled file; the editor's own mention it nowhere. */
const runs = ({ run, sample }) =>
  marked(run).filter(({ command }) => command.includes(path.basename(sample.file)));

const servers = ({ run }) =>
  marked(run).filter(({ command }) => command.endsWith('launch.py serve'));

export const scenarios = [
  {
    name: 'a lens stands above each module class and above the __main__ guard',
    async check({ bench, sample }) {
      const title = 'Profile this model';
      await bench.goTo(sample.line('class Residual(nn.Module)'));
      // The first answer of a server that has just been started.
      await eventually(async () => {
        assert.deepEqual(await bench.codeLenses(), [
          { title, above: 'class Residual(nn.Module):' },
          { title, above: 'class SmallResNet(nn.Module):' },
        ]);
      }, 60_000);
      await bench.goTo(sample.line('if __name__'));
      await eventually(async () => {
        assert.deepEqual(await bench.codeLenses(), [
          { title: 'Profile this loop', above: '        for images, labels in train_loader:' },
          { title, above: 'if __name__ == "__main__":' },
        ]);
      });
      await bench.shot('01-lenses');
    },
  },
  {
    name: 'the first profile, from the palette, shows its progress and its phases',
    async check({ bench }) {
      await bench.command(PROFILE);
      await bench.notified(PROFILING);
      await bench.notified(A_STEP, RUN_LIMIT);
      await bench.shot('02-progress');
      await bench.gone(PROFILING, RUN_LIMIT);
      const seen = (await bench.notificationTexts()).join('\n');
      for (const phase of ['starting', 'warming up', 'measuring', 'capturing', 'analysing']) {
        assert.match(seen, new RegExp(phase), `the progress never said "${phase}"`);
      }
      assert.match(seen, /step \d+ of \d+/);
    },
  },
  {
    name: 'each line that costs has a hint, and no other line',
    async check({ bench, sample }) {
      const conv = sample.line('self.norm1(self.conv1(x))');
      assert.match(await bench.hintAt(conv, sample.row(conv)), COST);
      await bench.shot('03-hints');
      // The smallest of them is several per cent of the step; `optimizer.step()` may be too little.
      const expected = [
        'picture = F.conv2d(picture[None], kernel, padding=(0, 2), groups=3)',
        'self.norm1(self.conv1(x))',
        'self.norm2(self.conv2(y))',
      ];
      const hints = await bench.inlayHints(
        sample.text,
        expected.map((text) => sample.line(text)),
      );
      for (const [line, hint] of hints) {
        assert.ok(COST.test(hint) || MEMORY.test(hint), `line ${line}: "${hint}"`);
        const code = sample.row(line).trim();
        assert.doesNotMatch(code, /^(#|class |import |from |@|"""|$)/, `a hint on "${code}"`);
      }
      const shares = [...hints.values()].map((hint) => Number.parseFloat(hint)).filter(Boolean);
      const sum = shares.reduce((total, share) => total + share, 0);
      assert.ok(sum > 80 && sum < 101, `the shares add up to ${sum} %`);
    },
  },
  {
    name: 'the hover of a line tells forward, backward, memory and operators',
    async check({ bench, sample }) {
      const text = await bench.hover(sample.line('self.norm1(self.conv1(x))'));
      for (const word of ['forward', 'backward', 'memory', 'conv']) {
        assert.match(text, new RegExp(word, 'i'), text);
      }
      await bench.shot('04-hover');
      await bench.leaveHover();
    },
  },
  {
    name: 'the Problems view has the slow input, on its line',
    async check({ bench, sample }) {
      const line = sample.line('# expect: slow-input');
      const rows = await bench.problems('slow-input');
      assert.equal(rows.length, 1, rows.join('\n'));
      assert.match(rows[0], new RegExp(`\\[Ln ${line}, Col \\d+\\]`));
      assert.match(rows[0], /Stepscope/i);
      await bench.shot('05-problems');
      await bench.closePanel();
    },
  },
  {
    name: 'its quick fix edits the source',
    async check({ bench, sample }) {
      const argument = sample.line('num_workers=0');
      const titles = await bench.openQuickFixes(sample.line('# expect: slow-input'));
      await bench.shot('06-quick-fix');
      const title = titles.find((text) => /worker/.test(text));
      assert.ok(title, `offered: ${titles.join(', ')}`);
      await bench.chooseQuickFix(title);
      await until('the line has changed', async () => {
        await bench.goTo(argument);
        return /num_workers=[1-9]/.test((await bench.visibleLines()).get(argument) ?? '');
      });
      await bench.shot('07-fixed');
      assert.match(sample.text, /num_workers=0/, 'the fix saved the file unasked');
    },
  },
  {
    name: 'hints after an edit move with their lines, and a changed line says so',
    async check({ bench, sample }) {
      const before = sample.line('self.norm1(self.conv1(x))');
      const row = sample.row(before);
      await bench.goTo(1);
      await bench.page.keyboard.press('Home');
      await bench.page.keyboard.press('Enter');
      assert.match(await bench.hintAt(before + 1, row), COST);
      await bench.page.keyboard.press('Control+z');

      await bench.goTo(before);
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.type('#');
      await until('the hint is marked', async () => {
        const shown = (await bench.visibleLines()).get(before) ?? '';
        return /#.* % .*before.* edit\)?$/.test(shown.trimEnd());
      });
      await bench.shot('08-edited');
      await bench.page.keyboard.press('Control+z');
      await until('the edit is undone', async () => {
        return !(await bench.visibleLines()).get(before)?.includes('#');
      });
    },
  },
  {
    name: 'a second profile saves the file and runs what it says now',
    async check({ bench, sample }) {
      await bench.focusEditor();
      await bench.command(PROFILE);
      await runToTheEnd(bench);
      assert.match(sample.text, /num_workers=[1-9]/);
      const conv = sample.line('self.norm1(self.conv1(x))');
      assert.match(await bench.hintAt(conv, sample.row(conv)), COST);
      await bench.shot('09-second-profile');
    },
  },
  {
    name: 'Cancel in the notification ends the run and its processes',
    async check(context) {
      const { bench } = context;
      await bench.command(PROFILE);
      await bench.notified(A_STEP, RUN_LIMIT);
      assert.notEqual(runs(context).length, 0, 'no process runs the file');
      await bench.pressInNotification(PROFILING, 'Cancel');
      await bench.gone(PROFILING, 15_000);
      await until('the processes of the run have ended', () => runs(context).length === 0);
      await bench.shot('10-cancelled');
    },
  },
  {
    name: '"Stepscope: Cancel" does the same, as early as it starts',
    async check(context) {
      const { bench } = context;
      await bench.command(PROFILE);
      await bench.notified(PROFILING);
      await bench.command('Stepscope: Cancel');
      await bench.gone(PROFILING, 15_000);
      await until('the processes of the run have ended', () => runs(context).length === 0);
    },
  },
  {
    name: '"Clear annotations" takes the hints away',
    async check({ bench, sample }) {
      await bench.clearNotifications();
      await bench.command('Stepscope: Clear annotations');
      const conv = sample.line('self.norm1(self.conv1(x))');
      await bench.goTo(conv);
      await until('the hint is gone', async () => {
        return (await bench.visibleLines()).get(conv)?.trimEnd() === sample.row(conv);
      });
      await bench.shot('11-cleared');
    },
  },
  {
    name: 'of several loops one can be chosen, and it says so',
    async check({ bench, workspace }) {
      writeFileSync(path.join(workspace, 'two_loops.py'), TWO_LOOPS);
      await bench.openFile('two_loops.py');
      await bench.clickLens('Profile this loop', '    for x in torch.rand(60, 32, 64):');
      await bench.notified('Profiling two_loops.py');
      await bench.gone('Profiling two_loops.py', RUN_LIMIT);
      const rows = TWO_LOOPS.split('\n');
      const line = rows.findIndex((row) => row.includes('softmax')) + 1;
      assert.match(await bench.hintAt(line, rows[line - 1]), COST);
      await eventually(async () => {
        const titles = (await bench.codeLenses()).map((lens) => lens.title);
        assert.deepEqual(titles, [
          'Profile this loop',
          'Profile this loop (chosen) | Let Stepscope choose',
        ]);
      });
      const training = (await bench.visibleLines()).get(rows.indexOf(TRAINING_ROW) + 1);
      assert.equal(training.trimEnd(), TRAINING_ROW, 'the other loop has no cost');
      await bench.shot('14-chosen-loop');
    },
  },
  {
    name: 'a file that only defines modules is profiled, and says what was assumed',
    async check({ bench, workspace }) {
      const model = new Sample(path.join(workspace, 'vit', 'model.py'));
      await bench.openFile('model.py');
      const above = 'class VisionTransformer(nn.Module):';
      await bench.goTo(model.line(above));
      await bench.clickLens('Profile this model', above);
      await bench.notified('Profiling model.py');
      await bench.gone('Profiling model.py', RUN_LIMIT);
      const hot = model.line('self.up(x)');
      assert.match(await bench.hintAt(hot, model.row(hot)), COST);
      await bench.goTo(model.line(above));
      await until('the class says what was assumed', async () => {
        const lenses = await bench.codeLenses();
        return lenses.some(
          (lens) =>
            lens.above === above && /Assumed: VisionTransformer\(.*inputs \(/.test(lens.title),
        );
      });
      await bench.shot('15-model-only');
      await bench.clickLens('Assumed: VisionTransformer', above);
      await until('the comments stand in the file', async () => {
        const rows = [...(await bench.visibleLines()).values()];
        return ['model=VisionTransformer(', 'inputs=torch.'].every((text) =>
          rows.some((row) => row.startsWith(`# stepscope: ${text}`)),
        );
      });
      await bench.shot('16-assumption-edited');
      await bench.page.keyboard.press('Control+z');
    },
  },
  {
    name: 'a file that wants CUDA names the line, and runs on the CPU on request',
    async check({ bench, workspace }) {
      writeFileSync(path.join(workspace, 'wants_cuda.py'), WANTS_CUDA);
      await bench.openFile('wants_cuda.py');
      await bench.command(PROFILE);
      await bench.notified('Run on CPU anyway', RUN_LIMIT);
      const rows = await bench.problems('target-failed');
      assert.match(rows[0], /\[Ln 3, Col \d+\]/);
      await bench.shot('17-wants-cuda');
      await bench.closePanel();
      await bench.pressInNotification('wants_cuda.py', 'Run on CPU anyway');
      await bench.gone('Profiling wants_cuda.py', RUN_LIMIT);
      const row = WANTS_CUDA.split('\n')[5];
      assert.match(await bench.hintAt(6, row), COST);
      await bench.shot('18-on-cpu');
    },
  },
  {
    name: 'files that exist stay as they are, and new ones go on request',
    async check({ bench, workspace }) {
      const kept = path.join(workspace, 'weights.txt');
      const fresh = path.join(workspace, 'new_log.txt');
      writeFileSync(kept, 'mine');
      writeFileSync(path.join(workspace, 'saves.py'), SAVES);
      await bench.openFile('saves.py');
      await bench.command(PROFILE);
      await bench.notified('Remove the new files', RUN_LIMIT);
      assert.equal(readFileSync(kept, 'utf8'), 'mine');
      assert.ok(existsSync(fresh), 'the new file is there');
      await bench.shot('19-files');
      await bench.pressInNotification('new file', 'Remove the new files');
      await until('the new file is gone', () => !existsSync(fresh));
      assert.equal(readFileSync(kept, 'utf8'), 'mine');
    },
  },
  {
    name: 'a recorded trace is opened from the explorer and shown on its functions',
    async check({ bench, workspace }) {
      const events = RECORDED_TRACE.map((event) => ({ ph: 'X', pid: 7, tid: 7, ...event }));
      writeFileSync(path.join(workspace, 'recorded.py'), RECORDED);
      writeFileSync(path.join(workspace, 'recorded.json'), JSON.stringify({ traceEvents: events }));
      await bench.clearNotifications();
      await bench.openFile('recorded.py');
      await bench.chooseInExplorer('recorded.json', 'Open PyTorch trace...');
      const message = await bench.notified('In recorded.py: whole functions', 60_000);
      assert.match(message, /recorded\.json: .*Overhead|recorded\.json: .*-bound/);
      const rows = RECORDED.split('\n');
      assert.match(await bench.hintAt(1, rows[0]), /^function: 60 % · 6\.00 ms$/);
      assert.match(await bench.hintAt(5, rows[4]), /^function: 40 % · 4\.00 ms$/);
      await bench.shot('20-recorded-trace');
      assert.match(await bench.hover(1), /Whole function, recorded/);
      await bench.shot('21-recorded-hover');
      await bench.leaveHover();
    },
  },
  {
    name: 'an interpreter without torch is named in a message',
    async check(context) {
      const { bench, vscode, bare } = context;
      vscode.writeSettings({ 'stepscope.interpreter': [bare] });
      await until('the server runs with the other interpreter', () =>
        servers(context).some(({ command }) => command.startsWith(bare)),
      );
      await bench.openFile('image_classifier.py'); // the scenario before leaves another open
      await bench.command(PROFILE);
      const message = await bench.notified('torch is not installed', RUN_LIMIT);
      assert.ok(message.includes(bare), message);
      await bench.shot('12-no-torch');
      await bench.clearNotifications();
    },
  },
  {
    name: 'an interpreter that does not exist is named in a message, with the way to the setting',
    async check({ bench, vscode }) {
      vscode.writeSettings({ 'stepscope.interpreter': ['/no/such/python'] });
      const message = await bench.notified('/no/such/python');
      assert.match(message, /Open Setting/);
      await bench.shot('13-no-python');
      await bench.clearNotifications();
    },
  },
  {
    name: 'ending the editor in the middle of a run leaves no process behind',
    async check(context) {
      const { bench, vscode, python } = context;
      vscode.writeSettings({ 'stepscope.interpreter': [python] });
      await until('the server runs again', () =>
        servers(context).some(({ command }) => command.startsWith(python)),
      );
      await bench.openFile('image_classifier.py');
      await bench.command(PROFILE);
      await bench.notified(A_STEP, RUN_LIMIT);
      assert.notEqual(runs(context).length, 0, 'no process runs the file');
      await vscode.stop();
      await until('server and run have ended', () => {
        return servers(context).length === 0 && runs(context).length === 0;
      });
    },
  },
];
