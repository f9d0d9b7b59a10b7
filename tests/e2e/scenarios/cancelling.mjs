/** Ways to end a run, and to be rid of its results. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { until } from '../lib/until.mjs';
import { PROFILE, PROFILING, A_STEP, RUN_LIMIT, runs } from './shared.mjs';

export const scenarios = [
  {
    name: 'Cancel in the notification ends the run and its processes',
    async check(context) {
      const { bench } = context;
      await bench.openFile(path.basename(context.sample.file)); // a topic before may leave another
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
];
