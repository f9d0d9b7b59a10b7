// npm packages of this clone, installed when the lock file has changed.
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { install, say } from './process.mjs';
import { fingerprint, isStamped, writeStamp } from './stamp.mjs';

/** npm is a script of its own kind on Windows, so it is started through the shell there. */
export const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const npmOptions = { shell: process.platform === 'win32' };

export function ensureNodePackages() {
  const modules = path.join(ROOT, 'node_modules');
  // A link leads to the packages of another clone, which `npm ci` would empty.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const stamp = path.join(modules, '.stepscope.stamp');
  const wanted = fingerprint([path.join(ROOT, 'package-lock.json')], [process.platform]);
  if (isStamped(stamp, wanted)) return;
  say('installing the npm packages');
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], ROOT);
  writeStamp(stamp, wanted);
}

/** No package of ours needs its install scripts; the few that do are rebuilt by name. */
export function npm(args, cwd) {
  install(NPM, args, { cwd, ...npmOptions });
}
