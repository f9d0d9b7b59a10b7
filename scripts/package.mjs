// Packs the extension into build/stepscope.vsix. vsce runs `npm run bundle` first (prepublish).
import { mkdirSync } from 'node:fs';
import { ensureNodePackages } from './lib/node-packages.mjs';
import { BUILD, nodeTool, ROOT, VSIX } from './lib/paths.mjs';
import { install, runMain } from './lib/process.mjs';

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
});
