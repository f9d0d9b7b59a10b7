// `npm run bench`: the numbers, beside two other profilers measured in the same run. Those are
// installed by the benchmark itself, into build/, so that the clone's environment stays as it is.
import { ROOT } from './lib/paths.mjs';
import { ensureVenv } from './lib/python.mjs';
import { replaceWith, runMain } from './lib/process.mjs';

await runMain(() => {
  const python = ensureVenv('dev');
  replaceWith(python, ['-m', 'tests.bench', ...process.argv.slice(2)], { cwd: ROOT });
});
