// Stages beside one another: a machine has more than one core, and an installer mostly waits.

/**
 * Run every stage of `stages` as soon as the ones it `needs` have passed and its `cores` are free;
 * among those that could start, the earlier in the list goes first. `run(stage)` resolves to whether
 * it passed. `leave(stage, needed)` is called instead for a stage that needs one that failed, or
 * was itself left.
 *
 * A name in `needs` that is not among `stages` counts as passed: a person has left it out.
 */
export async function schedule(stages, cores, run, leave) {
  const verdicts = new Map();
  const running = new Map();
  const names = new Set(stages.map((stage) => stage.name));
  let waiting = [...stages];
  const needs = (stage) => (stage.needs ?? []).filter((name) => names.has(name));
  // One that asks for more than there is gets all there is.
  const share = (stage) => Math.min(stage.cores ?? 1, cores);
  const free = () => [...running.keys()].reduce((left, stage) => left - share(stage), cores);

  while (waiting.length > 0 || running.size > 0) {
    for (const stage of waiting) {
      const failed = needs(stage).find((name) => verdicts.get(name) === false);
      const ready = needs(stage).every((name) => verdicts.get(name));
      if (failed !== undefined) {
        verdicts.set(stage.name, false);
        leave(stage, failed);
      } else if (ready && share(stage) <= free()) {
        running.set(
          stage,
          run(stage).then((passed) => {
            verdicts.set(stage.name, passed);
            running.delete(stage);
          }),
        );
      }
    }
    waiting = waiting.filter((stage) => !running.has(stage) && !verdicts.has(stage.name));
    if (running.size > 0) await Promise.race(running.values());
    else if (waiting.length > 0) throw new Error(`needs go round: ${waiting[0].name}`);
  }
}
