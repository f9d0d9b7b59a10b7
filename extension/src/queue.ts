/**
 * Runs one asynchronous action at a time. Requests that come while it runs are answered together
 * by one further run, so ten events in a row cause at most two.
 */
export class CoalescingQueue {
  /** Settles with the last run asked for; never rejects. */
  private tail: Promise<unknown> = Promise.resolve();
  /** The run that has not begun yet, if any. */
  private waiting: Promise<void> | undefined;

  constructor(private readonly action: () => Promise<void>) {}

  /** Settles when a run that began after this call has ended. */
  request(): Promise<void> {
    if (this.waiting) return this.waiting;
    const run = this.tail.then(() => {
      this.waiting = undefined;
      return this.action();
    });
    this.waiting = run;
    this.tail = run.catch(() => undefined);
    return run;
  }
}
