/** Files of other kinds: several loops, modules only, CUDA, files that write. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sample } from '../lib/sample.mjs';
import { eventually, until } from '../lib/until.mjs';
import { PROFILE, RUN_LIMIT, COST } from './shared.mjs';

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

export const scenarios = [
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
        // The total of the loop stands beside its lenses, that of the step at the top of the file.
        const titles = (await bench.codeLenses()).map((lens) => lens.title).sort();
        assert.equal(titles.length, 3, titles.join('\n'));
        assert.equal(titles[0], 'Profile this loop');
        assert.match(
          titles[1],
          /^Profile this loop \(chosen\) \| Let Stepscope choose \| this loop/,
        );
        assert.match(titles[2], /^Step /);
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
];
