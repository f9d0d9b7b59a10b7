// Installs what one part of the tests needs: `node scripts/prepare.mjs python|npm|editor`. As
// programs of their own, the parts can be installed beside one another.
import { ensureEditor } from './lib/editor.mjs';
import { ensureNodePackages } from './lib/node-packages.mjs';
import { runMain, SetupError } from './lib/process.mjs';
import { ensureVenv } from './lib/python.mjs';

const PARTS = {
  python: () => ensureVenv('frameworks'),
  npm: ensureNodePackages,
  editor: ensureEditor,
};

await runMain(() => {
  const [name] = process.argv.slice(2);
  if (!Object.hasOwn(PARTS, name)) {
    throw new SetupError(`name what to install: ${Object.keys(PARTS).join(', ')}`);
  }
  PARTS[name]();
});
