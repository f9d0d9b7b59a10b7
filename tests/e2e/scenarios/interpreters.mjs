/** Interpreters that cannot do it. */
import assert from 'node:assert/strict';
import { until } from '../lib/until.mjs';
import { PROFILE, RUN_LIMIT, servers } from './shared.mjs';

export const scenarios = [
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
];
