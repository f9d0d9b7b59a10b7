// Lays the language server out as the .vsix carries it: dist/server/{launch.py, libs/, stepscope/}.
// The libraries are pure Python at pinned versions: one package for every system, and no download
// when it starts.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './lib/paths.mjs';
import { install, runMain, SetupError } from './lib/process.mjs';
import { ensureVenv } from './lib/python.mjs';
import { fingerprint, isStamped, writeStamp } from './lib/stamp.mjs';

const SERVER = path.join(ROOT, 'dist', 'server');
const LIBS = path.join(SERVER, 'libs');
const REQUIREMENTS = path.join(ROOT, 'requirements', 'server.txt');

function bundleLibraries() {
  const stamp = path.join(ROOT, 'dist', 'libs.stamp');
  const wanted = fingerprint([REQUIREMENTS]);
  if (existsSync(LIBS) && isStamped(stamp, wanted)) return;
  rmSync(LIBS, { recursive: true, force: true });
  const options = ['--disable-pip-version-check', '--no-input', '--quiet', '--no-compile'];
  const pure = ['--no-deps', '--implementation=py', '--only-binary=:all:', '--target', LIBS];
  const pip = ['-m', 'pip', 'install', ...options, ...pure, '-r', REQUIREMENTS];
  install(ensureVenv('server'), pip);
  rmSync(path.join(LIBS, 'bin'), { recursive: true, force: true });
  refuseNative(LIBS);
  writeStamp(stamp, wanted);
}

/** A compiled module would tie the package to one system and one Python. */
function refuseNative(folder) {
  const native = readdirSync(folder, { recursive: true }).filter((name) =>
    /\.(so|pyd|dylib)$/.test(name),
  );
  if (native.length > 0) throw new SetupError(`not pure Python: ${native.join(', ')}`);
}

function copySources() {
  const from = path.join(ROOT, 'pyserver', 'stepscope');
  const to = path.join(SERVER, 'stepscope');
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (file) => path.basename(file) !== '__pycache__' });
  cpSync(path.join(ROOT, 'extension', 'server', 'launch.py'), path.join(SERVER, 'launch.py'));
}

await runMain(() => {
  mkdirSync(SERVER, { recursive: true });
  bundleLibraries();
  copySources();
});
