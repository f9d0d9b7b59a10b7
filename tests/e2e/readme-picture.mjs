/** `node tests/e2e/readme-picture.mjs` takes docs/images/editor.png anew, from a real run. */
import path from 'node:path';
import { pythonIn, ROOT, VENV } from '../../scripts/lib/paths.mjs';
import { Sample } from './lib/sample.mjs';
import { withWorkbench } from './lib/session.mjs';

const FILE = 'image_classifier.py';
const settings = { 'stepscope.interpreter': [pythonIn(VENV)], 'editor.hover.above': false };
const viewport = { width: 1180, height: 880 };

await withWorkbench({ folder: 'samples', file: FILE, settings, viewport }, async (session) => {
  const { bench, workspace } = session;
  const sample = new Sample(path.join(workspace, FILE));
  const line = sample.line('F.conv2d(picture[None], kernel');
  await bench.lens();
  await bench.command('View: Toggle Primary Side Bar Visibility');
  await bench.command('Stepscope: Profile this model');
  await bench.notified(`Profiling ${FILE}`);
  await bench.gone(`Profiling ${FILE}`, 300_000);
  await bench.problems('slow-input');
  await bench.focusEditor();
  await bench.hintAt(line, sample.row(line));
  await bench.hover(line);
  await bench.page.screenshot({ path: path.join(ROOT, 'docs', 'images', 'editor.png') });
});
