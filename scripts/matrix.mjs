// `npm run test:matrix`: the agent's tests on a second Python (its line clock differs by version),
// and those of the frameworks that `npm test` does not install.
import path from 'node:path';
import { ROOT } from './lib/paths.mjs';
import { ensureVenv } from './lib/python.mjs';
import { replaceWith, runMain } from './lib/process.mjs';

const MINOR = Number(process.env.STEPSCOPE_MATRIX_MINOR ?? 13);

await runMain(() => {
  const venv = path.join(ROOT, `.venv-3.${MINOR}`);
  const python = ensureVenv('matrix', { venv, minor: MINOR });
  const args = process.argv.slice(2);
  replaceWith(python, ['-m', 'pytest', ...(args.length ? args : ['tests/agent', 'tests/matrix'])], {
    cwd: ROOT,
  });
});
