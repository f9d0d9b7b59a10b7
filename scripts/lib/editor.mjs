// The real VS Code of the end-to-end test: code-server and a driver for the browser, in a folder of
// their own (build/vscode), because they need another Node than we do and weigh 0.8 GB.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureProgram } from './debian.mjs';
import { BUILD } from './paths.mjs';
import { NPM, npm } from './node-packages.mjs';
import { outputOf, say } from './process.mjs';
import { fingerprint, isStamped, writeStamp } from './stamp.mjs';

const HOME = path.join(BUILD, 'vscode');
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** code-server runs only on Node 24, which the registry has as a package per system. */
const PACKAGES = {
  'code-server': '4.139.1',
  'playwright-core': '1.65.1',
  [`node-${process.platform}-${process.arch}`]: '24.22.3',
};

/**
 * Install what is missing and tell where it is: `{ node, server, playwright, chromium }`, the last
 * a browser's executable, `playwright` a folder to require from.
 */
export function ensureEditor() {
  const chromium = ensureChromium();
  const stamp = path.join(HOME, 'stamp');
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2);
  const wanted = fingerprint([], [manifest]);
  if (!isStamped(stamp, wanted)) {
    say('installing VS Code for the end-to-end test');
    rmSync(HOME, { recursive: true, force: true });
    mkdirSync(HOME, { recursive: true });
    writeFileSync(path.join(HOME, 'package.json'), manifest);
    npm(['install', '--ignore-scripts', ...quiet], HOME);
    const vscode = path.join(HOME, 'node_modules', 'code-server', 'lib', 'vscode');
    // Not `npm ci`: the shrinkwrap in there disagrees with its package.json.
    npm(['install', '--omit=dev', '--ignore-scripts', ...quiet], vscode);
    // Compiles for 20 s. Without it VS Code works but writes no log files, so a failure is no matter.
    outputOf(NPM, ['rebuild', '--prefix', vscode, '@vscode/spdlog'], 180_000);
    writeStamp(stamp, wanted);
  }
  return {
    node: path.join(
      HOME,
      'node_modules',
      `node-${process.platform}-${process.arch}`,
      'bin',
      'node',
    ),
    server: path.join(HOME, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
    playwright: path.join(HOME, 'package.json'),
    chromium,
  };
}

function findChromium() {
  const named = process.env.STEPSCOPE_CHROMIUM;
  if (named) return existsSync(named) ? named : null;
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const found = outputOf('which', [name]);
    if (found) return found;
  }
  return null;
}

function ensureChromium() {
  return ensureProgram({
    find: findChromium,
    packages: ['chromium', 'fonts-dejavu-core'],
    what: 'Chromium',
    instead: 'install it, or name its executable in STEPSCOPE_CHROMIUM.',
  });
}
