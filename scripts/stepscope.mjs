// `npm run profile` and `npm run stepscope`: install what is missing, then become the command line.
import path from 'node:path';
import { buildPage, needsPage } from './lib/page.mjs';
import { ROOT } from './lib/paths.mjs';
import { ensureVenv } from './lib/python.mjs';
import { replaceWith, runMain } from './lib/process.mjs';

await runMain(() => {
  const python = ensureVenv('runtime');
  if (needsPage(process.argv.slice(2))) buildPage();
  // npm runs us in the clone; paths on the command line are meant from where the person stands.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const launcher = path.join(ROOT, 'extension', 'server', 'launch.py');
  replaceWith(python, [launcher, ...process.argv.slice(2)], { cwd });
});
