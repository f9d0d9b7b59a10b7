// Programs in process groups of their own, so that nothing they started outlives them.
import { spawn } from 'node:child_process';

const GROUPED = process.platform !== 'win32';
const running = new Set();

function end(child, signal) {
  try {
    if (GROUPED) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group is gone already.
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of running) end(child, 'SIGTERM');
    process.exit(130);
  });
}

/**
 * Run a program to its end, or for `limitMs`: `{ passed, output }`, both of its streams as one text.
 * With `shown`, standard error goes to the person instead.
 */
export function execute([command, ...args], { cwd, limitMs, shown = false }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      detached: GROUPED,
      stdio: ['ignore', 'pipe', shown ? 'inherit' : 'pipe'],
    });
    running.add(child);
    let output = '';
    const limit = setTimeout(() => {
      output += `\nstopped: longer than ${limitMs / 1000} s\n`;
      end(child, 'SIGKILL');
    }, limitMs);
    const collect = (chunk) => (output += chunk);
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => (output += error.message));
    child.on('close', (status) => {
      clearTimeout(limit);
      running.delete(child);
      end(child, 'SIGKILL');
      resolve({ passed: status === 0, output });
    });
  });
}
