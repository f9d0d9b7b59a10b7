// The clone's own Python environment: found, made and filled without any npm package.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pythonIn, ROOT, VENV } from './paths.mjs';
import { install, outputOf, say, SetupError } from './process.mjs';
import { fingerprint, isStamped, writeStamp } from './stamp.mjs';

const OLDEST = [3, 10];
/** The newest Python that the pinned PyTorch is built for. */
const NEWEST = [3, 14];

const requirements = (name) => path.join(ROOT, 'requirements', `${name}.txt`);

/** Layers of packages, each with the ones below it, which its file reads (`-r`). */
const LAYERS = {
  server: ['server'],
  runtime: ['server', 'runtime'],
  dev: ['server', 'runtime', 'dev'],
  frameworks: ['server', 'runtime', 'dev', 'frameworks'],
  matrix: ['server', 'runtime', 'dev', 'frameworks', 'matrix'],
};

/** The layer that lists all that it needs, and why its packages may not bring others along. */
const WITHOUT_DEPENDENCIES = 'matrix';

const PROBE = `
import importlib.util, json, sys
print(json.dumps({
    "version": sys.version_info[:2],
    "executable": sys.executable,
    "venv": all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")),
}))
`;

function candidates(minor) {
  const named = process.env.STEPSCOPE_PYTHON ? [[process.env.STEPSCOPE_PYTHON]] : [];
  if (named.length > 0 && minor === undefined) return named;
  const minors = minor === undefined ? [13, 12, 11, 10, 14] : [minor];
  const versioned = minors.map((n) => [`python3.${n}`]);
  const launcher = process.platform === 'win32' ? [['py', minor ? `-3.${minor}` : '-3']] : [];
  return minor === undefined
    ? [['python3'], ['python'], ...launcher, ...versioned]
    : [...named, ...versioned, ...launcher, ...fromPyenv(minor)];
}

/** pyenv puts shims on PATH that fail unless their version is the selected one. */
function fromPyenv(minor) {
  const root = process.env.PYENV_ROOT ?? path.join(process.env.HOME ?? '', '.pyenv');
  const versions = path.join(root, 'versions');
  if (!existsSync(versions)) return [];
  return readdirSync(versions)
    .filter((name) => name === `3.${minor}` || name.startsWith(`3.${minor}.`))
    .map((name) => [path.join(versions, name, 'bin', 'python')]);
}

/**
 * The first Python that can hold our environment. `minor` asks for exactly 3.<minor>.
 * STEPSCOPE_PYTHON, when set, is the only candidate, or the first one where a minor is asked for.
 */
export function findPython(minor) {
  const seen = [];
  for (const [command, ...args] of candidates(minor)) {
    const output = outputOf(command, [...args, '-c', PROBE]);
    if (output === null) continue;
    const { version, executable, venv } = JSON.parse(output);
    const name = `${executable} (${version.join('.')})`;
    if (!isBetween(version)) seen.push(`${name} has another version`);
    else if (minor !== undefined && version[1] !== minor) seen.push(`${name} has another version`);
    else if (!venv) seen.push(`${name} lacks venv (on Debian or Ubuntu: apt install python3-venv)`);
    else return executable;
  }
  const wanted = minor === undefined ? `${OLDEST.join('.')} to ${NEWEST.join('.')}` : `3.${minor}`;
  const found = [...new Set(seen)].join('; ') || 'none was found';
  throw new SetupError(
    `Python ${wanted} with its venv module is needed: ${found}. ` +
      'Install one, or name it in STEPSCOPE_PYTHON.',
  );
}

function isBetween([major, minor]) {
  return major === OLDEST[0] && minor >= OLDEST[1] && minor <= NEWEST[1];
}

/** `[3, 11]`, read from the environment's own note, or null when there is no usable one. */
function versionOf(venv) {
  const note = path.join(venv, 'pyvenv.cfg');
  // existsSync follows the link: an environment whose base Python is gone does not count.
  if (!existsSync(note) || !existsSync(pythonIn(venv))) return null;
  const match = /^version(?:_info)?\s*=\s*(\d+)\.(\d+)/m.exec(readFileSync(note, 'utf8'));
  return match ? [Number(match[1]), Number(match[2])] : null;
}

/**
 * Make `venv` hold the packages of `layer` (one of LAYERS) and return its interpreter.
 * Installs nothing, and starts nothing, when that was done before.
 */
export function ensureVenv(layer, { venv = VENV, minor } = {}) {
  const python = pythonIn(venv);
  let version = versionOf(venv);
  if (!version || !isBetween(version)) {
    rmSync(venv, { recursive: true, force: true });
    const base = findPython(minor);
    say(`making ${path.relative(ROOT, venv)} with ${base}`);
    install(base, ['-m', 'venv', venv]);
    version = versionOf(venv);
    if (!version) throw new SetupError(`${base} made an environment without an interpreter`);
  }
  const stamps = LAYERS[layer].map((name) => [
    path.join(venv, `stepscope-${name}.stamp`),
    fingerprint(LAYERS[name].map(requirements), [version.join('.'), ROOT]),
  ]);
  if (!stamps.every(([stamp, wanted]) => isStamped(stamp, wanted))) {
    if (layer === WITHOUT_DEPENDENCIES) {
      const below = LAYERS[layer].at(-2);
      pipInstall(python, requirements(below));
      pipInstall(python, requirements(layer), ['--no-deps']);
    } else {
      pipInstall(python, requirements(layer));
    }
    linkSources(python);
    for (const [stamp, wanted] of stamps) writeStamp(stamp, wanted);
  }
  return python;
}

/** Make `folder` hold the packages of requirements/<name>.txt, outside of any environment. */
export function ensureFolder(python, folder, name) {
  const stamp = `${folder}.stamp`;
  const wanted = fingerprint([requirements(name)], [python]);
  if (isStamped(stamp, wanted)) return;
  rmSync(folder, { recursive: true, force: true });
  pipInstall(python, requirements(name), ['--no-deps', '--target', folder]);
  writeStamp(stamp, wanted);
}

/** Install one requirements file, showing progress on standard error. */
export function pipInstall(python, file, more = []) {
  say(`installing ${path.relative(ROOT, file)}; PyTorch, if it is missing, is a large download`);
  // A person wants to see it go on; a log does not need 60 lines of it.
  const options = ['--disable-pip-version-check', '--no-input', ...more];
  if (!process.stderr.isTTY) options.push('--quiet');
  install(python, ['-m', 'pip', 'install', ...options, '-r', file]);
}

/**
 * Let the environment import pyserver/ from the clone. A .pth file does what an editable install
 * would, without a build back end to download.
 */
function linkSources(python) {
  const site = outputOf(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  if (site === null) throw new SetupError(`${python} does not start`);
  writeFileSync(path.join(site, 'stepscope-clone.pth'), `${path.join(ROOT, 'pyserver')}\n`);
}
