// Starting other programs. No packages: these scripts run before anything is installed.
import { spawn, spawnSync } from 'node:child_process';

/** A failure whose message is meant for a person; everything else is a bug and keeps its stack. */
export class SetupError extends Error {}

export function say(text) {
  process.stderr.write(`stepscope: ${text}\n`);
}

/** What `command` prints on standard output, or null when it cannot be run or fails. */
export function outputOf(command, args, timeout = 30_000) {
  const child = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout,
    windowsHide: true,
  });
  return child.status === 0 ? child.stdout.trim() : null;
}

/**
 * Run an installer. What it prints goes to our standard error, since standard output belongs to
 * the result of the command that needed the installation.
 */
export function install(command, args, options = {}) {
  const child = spawnSync(command, args, {
    stdio: ['ignore', 2, 2],
    windowsHide: true,
    ...options,
  });
  if (child.error) {
    throw new SetupError(`${command} could not be started: ${child.error.message}`);
  }
  if (child.status !== 0) {
    throw new SetupError(`this failed (see above): ${[command, ...args].join(' ')}`);
  }
}

/**
 * Become `command` as far as Node allows: same streams, same signals, same exit status.
 * Never returns to the caller's flow; the process ends when the child does.
 */
export function replaceWith(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'inherit', windowsHide: true, ...options });
  // A terminal sends Ctrl-C to the whole foreground group, the child included: it decides.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((ended) => {
    child.on('error', (error) => {
      say(`${command} could not be started: ${error.message}`);
      process.exitCode = 127;
      ended();
    });
    child.on('exit', (status, signal) => {
      if (signal) {
        // Die of the same signal, so that our caller sees what happened.
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
        return;
      }
      process.exitCode = status ?? 1;
      ended();
    });
  });
}

/** Run `main`, turning a SetupError into one line and status 2. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 2;
  }
}
