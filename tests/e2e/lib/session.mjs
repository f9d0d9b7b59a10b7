/** One editor with one browser on it, in a folder of its own, and nothing left of them afterwards. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureEditor } from '../../../scripts/lib/editor.mjs';
import { BUILD, ROOT, VSIX } from '../../../scripts/lib/paths.mjs';
import { startBrowser } from './browser.mjs';
import { startCodeServer } from './code-server.mjs';
import { endAll } from './processes.mjs';
import { Workbench } from './workbench.mjs';

/**
 * Open `file` of a copy of samples/ called `folder`, with the packed extension and the machine's
 * `settings`; without `trust` the editor asks whether the folder is trusted. Calls `use({ bench, vscode, home, workspace, run })`. Returns what that returns.
 */
export async function withWorkbench({ folder, file, settings, viewport, trust = true }, use) {
  const run = `${process.pid}-${Date.now()}`;
  const home = mkdtempSync(path.join(os.tmpdir(), 'stepscope-e2e-'));
  const workspace = path.join(home, folder);
  const shots = path.join(BUILD, 'e2e', 'shots');
  mkdirSync(shots, { recursive: true });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      endAll(run);
      process.exit(130);
    });
  }
  let browser;
  try {
    const editor = ensureEditor();
    cpSync(path.join(ROOT, 'samples'), workspace, { recursive: true });
    const vscode = await startCodeServer({
      editor,
      vsix: VSIX,
      home,
      workspace,
      settings,
      run,
      trust,
    });
    browser = await startBrowser({ editor, home, run, viewport });
    const bench = new Workbench(browser.pages()[0] ?? (await browser.newPage()), shots);
    await bench.open(vscode.url(file));
    return await use({ bench, vscode, home, workspace, run });
  } finally {
    await browser?.close();
    endAll(run);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
