"""How many workers a DataLoader would need, from measured times."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import LoaderFacts

_MOST_WORKERS = 16
"""Where nobody knows the number of cores, no more are spoken of."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What more workers would do. Times in ms per step.

    ``enough`` tells whether ``workers`` can keep up with the step, or are only as many as the
    cores allow. ``spare_cores`` are those that the training leaves to the workers.
    """

    workers: int
    enough: bool
    spare_cores: int
    gain: tuple[float, float]


def plan_workers(facts: Facts, loader: LoaderFacts, there: int) -> Plan:
    """How many workers the measured times call for, and what they would save.

    With ``train`` = the step without its wait and ``fetch`` = the time one process needs to load
    a step's batches, ``w`` workers sustain a step of ``max(train, fetch / w)``; so
    ``ceil(fetch / train)`` keep up, bounded by all cores but the training's own.

    The high gain is what that many workers save if nothing gets in their way. The low one grants
    them only what is certain to run beside the training: on a CPU run the cores that torch's
    threads leave free (on an accelerator all but one), and of the fetch only its processor time
    divided among them; the rest of it (disk, network, locks) may not get faster by being asked
    for twice, so it is overlapped as a whole. With workers already there, what holds them up is
    not known, and nothing is certain; nor is it where the number of cores is not known.
    ``there`` is the number of workers.
    """
    step = facts.profile.step_ms.median
    wait = min(loader.wait_ms, step)
    train = step - wait
    # Workers that are waited for are the bottleneck: together they take one step for a batch.
    fetch = wait if there == 0 else there * step
    cores = facts.machine.cores
    bound = _MOST_WORKERS if cores is None else max(1, cores - 1)
    called_for = math.ceil(fetch / train) if train > fetch / bound else bound
    workers = max(1, min(called_for, bound))
    high = min(wait, step - max(train, fetch / workers))
    on_cpu = facts.machine.device == "cpu"
    spare = 0
    if cores is not None:
        spare = cores - (min(facts.machine.threads or 1, cores) if on_cpu else 1)
    low = 0.0
    if spare > 0 and there == 0:
        processor = min(fetch, loader.fetch_cpu_ms or 0.0)
        slowest = fetch - processor + processor / min(workers, spare)
        low = max(0.0, min(high, step - max(train, slowest)))
    return Plan(workers, called_for * train >= fetch, spare, (low, max(0.0, high)))


def workers_would_do(facts: Facts, loader: LoaderFacts) -> bool:
    """Whether more workers alone could keep up with the step: then no line needs to be faster."""
    if loader.num_workers is None:
        return True  # nobody knows how many there are, so nobody can say that more are of no use
    plan = plan_workers(facts, loader, loader.num_workers)
    return plan.enough and plan.workers > loader.num_workers
