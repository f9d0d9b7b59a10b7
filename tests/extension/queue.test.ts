import { expect, it } from 'vitest';
import { CoalescingQueue } from '../../extension/src/queue';

/** An action whose runs end when the test says so. */
function controlled() {
  const ends: ((error?: Error) => void)[] = [];
  const action = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  return { ends, action };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('answers requests made during a run by one more run', async () => {
  const { ends, action } = controlled();
  const queue = new CoalescingQueue(action);
  const first = queue.request();
  await settled();
  const second = queue.request();
  expect(queue.request()).toBe(second);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await first;
  await settled();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await second;
  await settled();
  expect(ends).toHaveLength(2);
});

it('goes on after a run that failed, and tells only those who asked for it', async () => {
  const { ends, action } = controlled();
  const queue = new CoalescingQueue(action);
  const first = queue.request();
  await settled();
  const second = queue.request();
  ends[0]?.(new Error('first'));
  await expect(first).rejects.toThrow('first');
  await settled();
  ends[1]?.();
  await expect(second).resolves.toBeUndefined();
});
