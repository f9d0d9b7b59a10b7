import { expect, it } from 'vitest';
import { parseProbe, probePython } from '../../extension/src/probe';

it('reads the last line only, since wrappers print before it', () => {
  expect(parseProbe('activating env\n[[3, 12], "/env/bin/python"]\n')).toEqual({
    version: [3, 12],
    executable: '/env/bin/python',
  });
});

it('rejects an answer that is none', () => {
  expect(() => parseProbe('')).toThrow();
});

it('rejects when the command does not exist', async () => {
  await expect(probePython(['/no/such/python'])).rejects.toThrow('ENOENT');
});

it('rejects when the command fails', async () => {
  await expect(probePython([process.execPath, '-e', 'process.exit(3)'])).rejects.toThrow();
});
