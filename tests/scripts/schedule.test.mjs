import { expect, it } from 'vitest';
import { schedule } from '../../scripts/lib/schedule.mjs';

/** Stages whose runs end when the test says so. */
function controlled(stages, cores) {
  const started = [];
  const left = [];
  const ends = new Map();
  const run = ({ name }) => {
    started.push(name);
    return new Promise((resolve) => ends.set(name, resolve));
  };
  const done = schedule(stages, cores, run, ({ name }, needed) => left.push([name, needed]));
  const end = async (name, passed = true) => {
    ends.get(name)(passed);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, left, end, done };
}

it('never keeps more cores busy than there are', async () => {
  const stages = [{ name: 'a' }, { name: 'b' }, { name: 'both', cores: 2 }, { name: 'c' }];
  const { started, end, done } = controlled(stages, 2);
  expect(started).toEqual(['a', 'b']);
  await end('b');
  // One core is free: not enough for the next stage, but for the one after it.
  expect(started).toEqual(['a', 'b', 'c']);
  await end('a');
  expect(started).toHaveLength(3);
  await end('c');
  expect(started.at(-1)).toBe('both');
  await end('both');
  await done;
});

it('gives a stage that asks for more than there is all there is', async () => {
  const { started, end, done } = controlled([{ name: 'a' }, { name: 'wide', cores: 2 }], 1);
  await end('a');
  expect(started).toEqual(['a', 'wide']);
  await end('wide');
  await done;
});

it('starts a stage when the ones it needs have passed', async () => {
  const stages = [{ name: 'test', needs: ['install', 'left out'] }, { name: 'install' }];
  const { started, end, done } = controlled(stages, 2);
  expect(started).toEqual(['install']);
  await end('install');
  expect(started).toEqual(['install', 'test']);
  await end('test');
  await done;
});

it('leaves what needs a stage that failed, and goes on with the rest', async () => {
  const stages = [
    { name: 'install' },
    { name: 'pack', needs: ['install'] },
    { name: 'drive', needs: ['pack'] },
    { name: 'lint' },
  ];
  const { started, left, end, done } = controlled(stages, 1);
  await end('install', false);
  expect(left).toEqual([
    ['pack', 'install'],
    ['drive', 'pack'],
  ]);
  await end('lint', false);
  await done;
  expect(started).toEqual(['install', 'lint']);
});

it('refuses needs that go round', async () => {
  const stages = [
    { name: 'a', needs: ['b'] },
    { name: 'b', needs: ['a'] },
  ];
  await expect(controlled(stages, 2).done).rejects.toThrow('needs go round: a');
});
