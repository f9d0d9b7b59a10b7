/**
 * Drives a real VS Code in headless Chromium, with the packed extension. Screenshots of every state
 * are in build/e2e/shots: open them, since a test does not see what a person sees.
 *
 * A later scenario needs what an earlier one left, so the first failure ends the drive. Topics that
 * are named as arguments are the only ones to run.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { BUILD, pythonIn, VENV } from '../../scripts/lib/paths.mjs';
import { Sample } from './lib/sample.mjs';
import { withWorkbench } from './lib/session.mjs';
import { topics } from './scenarios/index.mjs';

const python = pythonIn(VENV);

function chosenScenarios(names) {
  const unknown = names.filter((name) => !(name in topics));
  if (unknown.length > 0) {
    throw new Error(`no such topic: ${unknown} (there are: ${Object.keys(topics).join(', ')})`);
  }
  const chosen = names.length > 0 ? names : Object.keys(topics);
  return chosen.flatMap((name) => topics[name]);
}

const scenarios = chosenScenarios(process.argv.slice(2));

/** An interpreter of its own, without torch. */
function makeBareEnvironment(home) {
  const folder = path.join(home, 'bare');
  const made = spawnSync(python, ['-m', 'venv', '--without-pip', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return pythonIn(folder);
}

async function runScenarios(context) {
  let passed = 0;
  for (const { name, check } of scenarios) {
    const began = Date.now();
    try {
      await check(context);
    } catch (error) {
      console.log(`FAIL ${name}\n${error.stack}`);
      await tellWhatHappened(context);
      return { passed, failed: 1, skipped: scenarios.length - passed - 1 };
    }
    passed += 1;
    console.log(`ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  }
  return { passed, failed: 0, skipped: 0 };
}

async function tellWhatHappened({ bench, vscode }) {
  await bench.shot('failure').catch(() => {});
  const notifications = await bench.notificationTexts().catch(() => []);
  console.log(`--- notifications seen\n${notifications.join('\n')}`);
  console.log(`--- Stepscope's log\n${vscode.extensionLog()}`);
  console.log(`--- code-server's log\n${vscode.log()}`);
}

rmSync(path.join(BUILD, 'e2e'), { recursive: true, force: true });
const setUp = {
  // Spaces and CJK: paths go through URLs, command lines and the protocol.
  folder: 'my 模型',
  file: 'image_classifier.py',
  settings: {
    'stepscope.interpreter': [python],
    // Small steps, for the sake of time; and arguments have to reach the file.
    'stepscope.args': ['--batch-size', '8', '--images', '960'],
  },
};
const { passed, failed, skipped } = await withWorkbench(setUp, (session) => {
  const sample = new Sample(path.join(session.workspace, setUp.file));
  const bare = makeBareEnvironment(session.home);
  return runScenarios({ ...session, sample, python, bare });
});
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed ? 1 : 0;
