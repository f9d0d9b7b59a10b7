/**
 * Drives a real VS Code in headless Chromium, with the packed extension. Screenshots of every state
 * are in build/e2e/shots: open them, since a test does not see what a person sees.
 *
 * A later scenario needs what an earlier one left, so the first failure ends the drive.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureEditor } from '../../scripts/lib/editor.mjs';
import { BUILD, pythonIn, ROOT, VENV, VSIX } from '../../scripts/lib/paths.mjs';
import { startBrowser } from './lib/browser.mjs';
import { startCodeServer } from './lib/code-server.mjs';
import { endAll } from './lib/processes.mjs';
import { Sample } from './lib/sample.mjs';
import { Workbench } from './lib/workbench.mjs';
import { scenarios } from './scenarios.mjs';

const SHOTS = path.join(BUILD, 'e2e', 'shots');
const run = `${process.pid}-${Date.now()}`;
const python = pythonIn(VENV);

const home = mkdtempSync(path.join(os.tmpdir(), 'stepscope-e2e-'));
// Spaces and CJK: paths go through URLs, command lines and the protocol.
const workspace = path.join(home, 'my 模型');

/** An interpreter of its own, without torch. */
function makeBareEnvironment() {
  const folder = path.join(home, 'bare');
  const made = spawnSync(python, ['-m', 'venv', '--without-pip', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return pythonIn(folder);
}

async function drive() {
  const editor = ensureEditor();
  rmSync(SHOTS, { recursive: true, force: true });
  mkdirSync(SHOTS, { recursive: true });
  cpSync(path.join(ROOT, 'samples'), workspace, { recursive: true });
  const bare = makeBareEnvironment();
  const settings = {
    'stepscope.interpreter': [python],
    // Small steps, for the sake of time; and arguments have to reach the file.
    'stepscope.args': ['--batch-size', '8', '--images', '960'],
  };
  const vsix = process.env.STEPSCOPE_VSIX ?? VSIX;
  const vscode = await startCodeServer({ editor, vsix, home, workspace, settings, run });
  const browser = await startBrowser({ editor, home, run });
  const page = browser.pages()[0] ?? (await browser.newPage());
  const bench = new Workbench(page, SHOTS);
  const sample = new Sample(path.join(workspace, 'image_classifier.py'));
  const context = { bench, vscode, sample, python, bare, run };
  try {
    await bench.open(vscode.url('image_classifier.py'));
    return await runScenarios(context);
  } finally {
    await browser.close();
  }
}

async function runScenarios(context) {
  let passed = 0;
  for (const { name, check } of scenarios) {
    const began = Date.now();
    try {
      await check(context);
    } catch (error) {
      console.log(`FAIL ${name}`);
      console.log(error.stack);
      await context.bench.shot('failure').catch(() => {});
      console.log(`--- notifications seen\n${(await seen(context)).join('\n')}`);
      console.log(`--- Stepscope's log\n${context.vscode.extensionLog()}`);
      console.log(`--- code-server's log\n${context.vscode.log()}`);
      return { passed, failed: 1, skipped: scenarios.length - passed - 1 };
    }
    passed += 1;
    console.log(`ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  }
  return { passed, failed: 0, skipped: 0 };
}

const seen = ({ bench }) => bench.notificationTexts().catch(() => []);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    endAll(run);
    process.exit(130);
  });
}

try {
  const { passed, failed, skipped } = await drive();
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed ? 1 : 0;
} finally {
  endAll(run);
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
