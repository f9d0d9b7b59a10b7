/** Last of all, since the editor is gone after it. */
import assert from 'node:assert/strict';
import { until } from '../lib/until.mjs';
import { PROFILE, A_STEP, RUN_LIMIT, runs, servers } from './shared.mjs';

export const scenarios = [
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
