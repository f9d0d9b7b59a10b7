import { mkdtemp, readFile, writeFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freeName } from '../../extension/src/freeName';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'free-name-'));
});
afterAll(() => rm(folder, { recursive: true }));

const make = (file: string) => writeFile(file, 'new', { flag: 'wx' });

it('takes the next name where a file is there already, and leaves that as it is', async () => {
  const wanted = path.join(folder, 'train.py');
  await writeFile(wanted, 'mine');
  expect(await freeName(wanted, 10, make)).toBe(path.join(folder, 'train_2.py'));
  expect(await freeName(wanted, 10, make)).toBe(path.join(folder, 'train_3.py'));
  expect(await readFile(wanted, 'utf8')).toBe('mine');
});

it('gives up after its tries, and at once for another reason', async () => {
  const wanted = path.join(folder, 'train.py');
  await expect(freeName(wanted, 1, make)).rejects.toMatchObject({ code: 'EEXIST' });
  const nowhere = path.join(folder, 'none', 'x.py');
  await expect(freeName(nowhere, 10, make)).rejects.toMatchObject({ code: 'ENOENT' });
});
