"""Measures versions of programs in one process: ``measure.py OUT VERSION...``, each a file.

For each: the losses of the first steps, the processor time of the quickest step in ms (of several
rounds, in which the versions take turns; one thread computes, so others do not disturb it much),
the peak of a step in bytes, and whether what ``main`` returns holds a graph. Written to OUT as
JSON.
"""

import itertools
import json
import runpy
import sys
import time
from pathlib import Path

import torch

ROUNDS, STEPS, FIRST = 2, 7, 4


def losses_and_times(path):
    losses, times = [], []
    space = runpy.run_path(path)

    def seen(loss):
        losses.append(float(loss))
        times.append(time.process_time())

    space["main"].__globals__["seen"] = seen
    result = space["main"](STEPS)
    steps = [later - earlier for earlier, later in itertools.pairwise(times[1:])]
    kept = isinstance(result, torch.Tensor) and result.grad_fn is not None
    return losses[:FIRST], min(steps) * 1e3, kept


def peak(path):
    """The most bytes that are allocated at once in the later steps, since ``main`` began."""
    space = runpy.run_path(path)
    marks = []
    space["main"].__globals__["seen"] = lambda _: marks.append(time.time_ns())
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as recorded:
        result = space["main"](FIRST)
    del result
    stack = list(recorded.profiler.kineto_results.experimental_event_tree())
    rows = []
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.tag == torch._C._profiler._EventType.Allocation:
            rows.append((node.start_time_ns, node.extra_fields.alloc_size))
    live = most = 0
    for when, size in sorted(rows, key=lambda row: row[0]):
        live += size
        if marks[1] <= when < marks[-1]:
            most = max(most, live)
    return most


def main(out, paths):
    torch.set_num_threads(1)
    found = {path: {"ms": float("inf")} for path in paths}
    for _ in range(ROUNDS):
        for path in paths:
            losses, ms, kept = losses_and_times(path)
            found[path].update(losses=losses, kept=kept, ms=min(ms, found[path]["ms"]))
    for path in paths:
        found[path]["peak"] = peak(path)
    Path(out).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
