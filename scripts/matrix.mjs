// `npm run test:matrix`: the agent's tests on a second Python (its line clock differs by version),
// those of the frameworks that `npm test` does not install, what it leaves out as slow, and packages
// of models. What compares times comes last, when nothing else runs.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { BUILD, ROOT } from './lib/paths.mjs';
import { ensureFolder, ensureVenv } from './lib/python.mjs';
import { replaceWith, runMain } from './lib/process.mjs';
import { BY_FILE } from './lib/pytest.mjs';

const MINOR = Number(process.env.STEPSCOPE_MATRIX_MINOR ?? 13);

await runMain(async () => {
  const venv = path.join(ROOT, `.venv-3.${MINOR}`);
  const python = ensureVenv('matrix', { venv, minor: MINOR });
  const args = process.argv.slice(2);
  const packages = path.join(BUILD, `packages-3.${MINOR}`);
  mkdirSync(BUILD, { recursive: true });
  ensureFolder(python, packages, 'packages');
  const all = [
    [...BY_FILE, '-m', 'not alone', 'tests/agent', 'tests/matrix'],
    ['-m', 'alone', 'tests/agent'],
  ];
  let worst = 0;
  for (const chosen of args.length > 0 ? [args] : all) {
    await replaceWith(python, ['-m', 'pytest', ...chosen], {
      cwd: ROOT,
      env: { ...process.env, STEPSCOPE_PACKAGES: packages },
    });
    worst = Math.max(worst, process.exitCode ?? 0);
  }
  process.exitCode = worst;
});
