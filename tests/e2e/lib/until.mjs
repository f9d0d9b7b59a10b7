/** Waiting for what sends no event to a test: the screen, the disk, the process table. */

/** Ask until the answer is truthy, and return it. */
export async function until(what, ask, limit = 30_000) {
  const end = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${limit / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Repeat the assertions in `check` until they hold; what failed last is what is reported. */
export async function eventually(check, limit = 30_000) {
  const end = Date.now() + limit;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
