/** Waiting for what sends no event: the disk and the process table. */
export async function until(what, ask, limit = 30_000) {
  const end = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${limit / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
