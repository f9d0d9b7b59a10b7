// Installs what one part of the tests needs: `node scripts/prepare.mjs python|npm|editor|neovim`. As
// programs of their own, the parts can be installed beside one another.
import { ensureProgram } from './lib/debian.mjs';
import { ensureEditor } from './lib/editor.mjs';
import { ensureNodePackages } from './lib/node-packages.mjs';
import { outputOf, runMain, SetupError } from './lib/process.mjs';
import { ensureVenv } from './lib/python.mjs';

const PARTS = {
  python: () => ensureVenv('frameworks'),
  npm: ensureNodePackages,
  editor: ensureEditor,
  neovim: () =>
    ensureProgram({
      find: () => outputOf('which', ['nvim']),
      packages: ['neovim'],
      what: 'Neovim',
      instead: 'install it, 0.7 or newer.',
    }),
};

await runMain(() => {
  const [name] = process.argv.slice(2);
  if (!Object.hasOwn(PARTS, name)) {
    throw new SetupError(`name what to install: ${Object.keys(PARTS).join(', ')}`);
  }
  PARTS[name]();
});
