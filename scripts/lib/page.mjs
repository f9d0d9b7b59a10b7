// The page that draws a report: built from extension/src/webview into the server's package.
import { ensureNodePackages } from './node-packages.mjs';
import { ROOT } from './paths.mjs';
import { install } from './process.mjs';

/** Takes a tenth of a second, so nobody has to ask whether it is the latest. */
export function buildPage() {
  ensureNodePackages();
  install(process.execPath, ['esbuild.mjs'], { cwd: ROOT });
}

/** Whether the command line asks for it. What follows the target is the target's own; no harm. */
export const needsPage = (words) =>
  words.some((word) => word === '--html' || word.startsWith('--html='));
