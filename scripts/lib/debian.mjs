// Programs that tests need and that come from the system's own packages.
import { install, outputOf, say, SetupError } from './process.mjs';

/**
 * Where a program is: what `find` says, after installing Debian's `packages` if it finds nothing.
 * `what` and `instead` are for the message where neither root nor apt-get is there.
 */
export function ensureProgram({ find, packages, what, instead }) {
  const found = find();
  if (found) return found;
  const canInstall = process.getuid?.() === 0 && outputOf('which', ['apt-get']) !== null;
  if (!canInstall) throw new SetupError(`a test needs ${what}: ${instead}`);
  say(`installing ${what} for a test`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  install('apt-get', ['update', '-qq'], { env });
  install('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
  const installed = find();
  if (!installed) throw new SetupError(`${what} was installed but is not on the PATH.`);
  return installed;
}
