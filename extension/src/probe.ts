/** Asks a Python for its version and full path. */
import { execFile } from 'node:child_process';
import type { Probed } from './resolve';

const SCRIPT = 'import json, sys; print(json.dumps([list(sys.version_info[:2]), sys.executable]))';
const TIMEOUT_MS = 20_000;

export function probePython(command: readonly string[]): Promise<Probed> {
  const [executable = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, windowsHide: true };
    execFile(executable, [...args, '-c', SCRIPT], options, (error, stdout) => {
      if (error) {
        reject(new Error(error.message));
        return;
      }
      try {
        resolve(parseProbe(stdout));
      } catch (reason) {
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      }
    });
  });
}

/** Wrappers such as `conda run` may print before the answer, so only the last line counts. */
export function parseProbe(stdout: string): Probed {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  const [version, executable] = JSON.parse(line) as [[number, number], string];
  return { version, executable };
}
