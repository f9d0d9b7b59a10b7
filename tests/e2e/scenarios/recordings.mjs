/** Somebody else's recording, on the source that is here. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const RECORDED = `def forward(net, x):
    return net(x)


def main(net, batches):
    for x in batches:
        forward(net, x)
`;
/** A torch.profiler trace of it: three steps of 10 ms, 6 of them in `forward`. */
export const RECORDED_TRACE = [0, 10_000, 20_000].flatMap((ts, step) => [
  { cat: 'python_function', name: 'recorded.py(5): main', ts, dur: 10_000 },
  { cat: 'user_annotation', name: `ProfilerStep#${step}`, ts, dur: 10_000 },
  { cat: 'python_function', name: 'recorded.py(1): forward', ts: ts + 1_000, dur: 6_000 },
  { cat: 'cpu_op', name: 'aten::linear', ts: ts + 1_100, dur: 5_800 },
]);

export const scenarios = [
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
];
