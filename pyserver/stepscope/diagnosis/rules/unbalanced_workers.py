"""unbalanced-workers: one worker needs far longer for its batches, and the step waits for it.

Batches are delivered in order, so the slowest worker sets the pace of all.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.facts.workers import WorkerBatches
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, measured, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule

NAME = "unbalanced-workers"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``ratio``: the slowest worker's batch over that of the typical one; less is what batches
    differ by anyway. ``workers``: of two nobody can say which is the usual one. ``batches``: of
    each worker; one alone may have been held up.
    """

    ratio: float = 2.5
    workers: int = 3
    batches: int = 2


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding: the loader with workers, if it is the only one."""
    loaders, workers = facts.measured(Loaders), facts.measured(WorkerBatches)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    found = loaders.with_workers()
    if not found:
        return silent(NAME, "no loader has workers")
    if len(found) > 1 or workers is None or found[0].key is None:
        return abstain(NAME, "it is not known how long a batch takes in a worker")
    known = [batches for batches in workers.by_worker if len(batches) >= THRESHOLDS.batches]
    if len(known) < THRESHOLDS.workers:
        return abstain(NAME, "too few workers recorded several batches")
    loader, each = found[0], sorted(statistics.median(batches) for batches in known)
    typical, slowest = statistics.median(each), each[-1]
    if negligible(facts, loader.wait_ms):
        return silent(NAME, "nobody waits for the loader")
    if slowest < THRESHOLDS.ratio * typical:
        return silent(NAME, f"the slowest worker takes {slowest / max(typical, 1e-9):.1f} times")
    step = facts.profile.step_ms.median
    # If each took as long as the typical one, the pace would be theirs together.
    saved = min(loader.wait_ms, max(0.0, slowest - typical) / len(known) * loader.batches_per_step)
    return (
        measured(
            NAME,
            facts,
            found[0].key or ("", 0),
            f"One worker of this DataLoader needs {fmt.duration(slowest)} for a batch, the typical "
            f"one {fmt.duration(typical)}. Batches come in order, so all wait for it: divide the "
            "work evenly, in the sampler or in worker_init_fn.",
            {
                "slowest_ms": slowest,
                "typical_ms": typical,
                "workers": len(known),
                "wait_share": share_of_step(facts, loader.wait_ms),
            },
            gain_ms=(0.0, min(saved, step)),
            gain_source="At most the wait, and the slow worker's extra time shared by all.",
        ),
    )


RULE = Rule(
    name=NAME,
    title="One worker is much slower than the others",
    evaluate=evaluate,
    advice="Divide the work evenly among the workers, in the sampler or in worker_init_fn",
)
