// `npm run bench`: the numbers, beside two other profilers measured in the same run.
import path from 'node:path';
import { ROOT, VENV } from './lib/paths.mjs';
import { ensureVenv, pipInstall } from './lib/python.mjs';
import { replaceWith, runMain } from './lib/process.mjs';
import { fingerprint, isStamped, writeStamp } from './lib/stamp.mjs';

await runMain(() => {
  const python = ensureVenv('dev');
  const rivals = path.join(ROOT, 'requirements', 'bench.txt');
  const stamp = path.join(VENV, 'stepscope-bench.stamp');
  const wanted = fingerprint([rivals]);
  if (!isStamped(stamp, wanted)) {
    pipInstall(python, rivals);
    writeStamp(stamp, wanted);
  }
  replaceWith(python, ['-m', 'tests.bench', ...process.argv.slice(2)], { cwd: ROOT });
});
