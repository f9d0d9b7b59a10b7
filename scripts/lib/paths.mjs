// Where things are in the clone.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const BUILD = path.join(ROOT, 'build');
export const VENV = path.join(ROOT, '.venv');

/** The interpreter inside the virtual environment `venv`. */
export function pythonIn(venv) {
  return process.platform === 'win32'
    ? path.join(venv, 'Scripts', 'python.exe')
    : path.join(venv, 'bin', 'python');
}

/** The command line tool `name` of this clone's node_modules, as arguments for node. */
export function nodeTool(...parts) {
  return path.join(ROOT, 'node_modules', ...parts);
}

export const VSIX = path.join(BUILD, 'stepscope.vsix');
