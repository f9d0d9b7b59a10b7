/** The report in its tab: of a run, and of the next one. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../lib/until.mjs';
import { PROFILE, RUN_LIMIT } from './shared.mjs';
import { ReportTab } from '../lib/report-tab.mjs';

const TINY = 'tiny.py';
/** Small enough to be over in seconds, with modules, an optimizer and a line that costs most. */
const SOURCE = `import torch
from torch import nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(256, 1024)
        self.narrow = nn.Linear(1024, 256)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.narrow(torch.relu(self.wide(x)))


model = nn.Sequential(Block(), Block(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(40):
    loss = model(torch.randn(64, 256)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
`;
const BUSY = 12;
const SECTIONS = ['step', 'findings', 'timeline', 'flame', 'memory', 'lines', 'operators'];
export const scenarios = [
  {
    name: 'the report of a run: its step, its timeline, its modules, its lines',
    async check({ bench, workspace }) {
      writeFileSync(path.join(workspace, TINY), SOURCE);
      await bench.openFile(TINY);
      await bench.command(PROFILE);
      await bench.notified(`Profiling ${TINY}`);
      await bench.gone(`Profiling ${TINY}`, RUN_LIMIT);
      await bench.page.locator('.editor-actions a[aria-label^="Open report"]').first().click();
      const tab = new ReportTab(bench);
      await tab.shown(TINY);
      await bench.shot('50-report');
      assert.match(await tab.section('content').innerText(), /CPU only/);
      const wanted = { timeline: 20, flame: 4 };
      for (const [chart, least] of Object.entries(wanted)) {
        await eventually(async () => {
          const drawn = await tab.section(chart).locator('[data-drawn]').getAttribute('data-drawn');
          assert.ok(Number(drawn) >= least, `${chart}: ${drawn} drawn`);
        });
      }
      for (const id of SECTIONS) await tab.shot(`51-${id}`, id);
      await tab.section('flame').getByText('By module').click();
      await tab.shot('52-flame-by-module', 'flame');
      const rows = await tab.section('lines').locator('tbody tr').allInnerTexts();
      assert.match(rows[0], new RegExp(`^${TINY}:${BUSY}\\s`), rows.join('\n'));
    },
  },
  {
    name: 'a new run of the file takes its place in the same tab',
    async check({ bench }) {
      const tab = new ReportTab(bench);
      const measured = () => tab.frame.locator('header').innerText();
      const before = await measured();
      await tab.frame.getByRole('button', { name: 'Measure again' }).click();
      await bench.notified(`Profiling ${TINY}`);
      await bench.gone(`Profiling ${TINY}`, RUN_LIMIT);
      await eventually(async () => assert.notEqual(await measured(), before));
    },
  },
];
