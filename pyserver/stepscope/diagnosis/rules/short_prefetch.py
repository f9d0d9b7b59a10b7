"""short-prefetch: workers keep up on average, but now and then a batch is late."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders
from stepscope.diagnosis.facts.workers import WorkerBatches
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    measured,
    share_of_average,
    silent,
)
from stepscope.diagnosis.lateness import late_now_and_then
from stepscope.diagnosis.rule import Rule

NAME = "short-prefetch"
_USUAL = 2  # torch's own prefetch_factor


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step that is spent waiting for late batches. What counts as late stands in
    ``lateness``.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding: the loader with workers, if it is the only one."""
    loaders = facts.measured(Loaders)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    found = loaders.with_workers()
    if not found:
        return silent(NAME, "no loader has workers")
    if len(found) > 1 or facts.measured(WorkerBatches) is None:
        return abstain(NAME, "it is not known how long a batch takes in a worker")
    return _examine(facts, found[0])


def _examine(facts: Facts, loader: LoaderFacts) -> tuple[Finding, ...]:
    if loader.key is None:
        return abstain(NAME, "no line is known for a loader")
    late = late_now_and_then(facts, loader)
    share = share_of_average(facts, late.wait_ms) if late is not None else 0.0
    if late is None or share < THRESHOLDS.share:
        return silent(NAME, f"late batches take {share:.3f} of the step")
    factor = loader.prefetch_factor or _USUAL
    return (
        measured(
            NAME,
            facts,
            loader.key,
            f"{late.late} of {late.batches} batches came late, by {fmt.duration(late.longest_ms)} "
            f"at most, though the workers need only {fmt.share(late.load)} of the time they have: "
            f"{factor} prepared ahead by each worker do not bridge a slow one.",
            {
                "wait_ms": late.wait_ms,
                "wait_share": share,
                "late": late.late,
                "batches": late.batches,
                "longest_ms": late.longest_ms,
                "prefetch_factor": factor,
                "wanted": 2 * factor,
            },
            gain_ms=(0.0, late.wait_ms),
            gain_source="At most the waits for late batches.",
        ),
    )


RULE = Rule(name=NAME, title="Too few batches are prepared ahead", evaluate=evaluate)
