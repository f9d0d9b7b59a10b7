// Packs the extension into build/stepscope.vsix. vsce runs `npm run bundle` first (prepublish).
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureNodePackages } from './lib/node-packages.mjs';
import { BUILD, nodeTool, ROOT, VSIX } from './lib/paths.mjs';
import { install, runMain, SetupError } from './lib/process.mjs';

/** What people wait for when they install it; all of it is our own code and pure Python packages. */
const LARGEST_MB = 5;

await runMain(() => {
  ensureNodePackages();
  mkdirSync(BUILD, { recursive: true });
  // Dependencies are in the bundle; the picture of the README lies in the package itself.
  const options = [
    '--no-dependencies',
    '--no-rewrite-relative-links',
    '--allow-missing-repository',
  ];
  install(
    process.execPath,
    [nodeTool('@vscode', 'vsce', 'vsce'), 'package', ...options, '-o', VSIX],
    {
      cwd: ROOT,
    },
  );
  const megabytes = statSync(VSIX).size / 1e6;
  const told = `${path.relative(ROOT, VSIX)}: ${megabytes.toFixed(2)} MB`;
  if (megabytes > LARGEST_MB) throw new SetupError(`${told}, more than ${LARGEST_MB} MB`);
  console.log(told);
});
