/** The processes that a test started, found by a mark in the environment that they inherit. */
import { readdirSync, readFileSync } from 'node:fs';

export const MARK = 'STEPSCOPE_E2E_RUN';

/** `[{ pid, command }]` of every living process that carries the mark, except this one. */
export function marked(value) {
  const found = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!environment.includes(`${MARK}=${value}`)) continue;
      // A zombie has an empty command line: it has ended.
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      if (command) found.push({ pid: Number(pid), command });
    } catch {
      // It ended while we looked, or is not ours to read.
    }
  }
  return found;
}

export function endAll(value) {
  for (const { pid } of marked(value)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended meanwhile.
    }
  }
}
