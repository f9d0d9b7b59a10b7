// "Is this installed already?" answered by comparing one file, without starting anything.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** One hash over the contents of `files` and the texts in `more`. */
export function fingerprint(files, more = []) {
  const hash = createHash('sha256');
  for (const part of [...files.map((file) => readFileSync(file)), ...more]) {
    hash.update(part).update('\0');
  }
  return hash.digest('hex');
}

export function isStamped(stamp, value) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === value;
}

/** Only after everything succeeded: an interrupted installation is repeated. */
export function writeStamp(stamp, value) {
  writeFileSync(stamp, value);
}
