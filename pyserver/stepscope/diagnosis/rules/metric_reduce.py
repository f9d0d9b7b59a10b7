"""metric-reduce: a collective of its own for a number, in every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "metric-reduce"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``per_step``: fewer than one in two steps is done now and then already."""

    per_step: float = 0.5


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that starts collectives itself."""
    distributed = facts.measured(Distributed)
    if distributed is None:
        return abstain(NAME, "there is no process group")
    findings: list[Finding] = []
    for reduction in distributed.own:
        if reduction.per_step < THRESHOLDS.per_step or negligible(facts, reduction.host_ms):
            silent(NAME, f"{reduction.host_ms:.3f} ms on line {reduction.line[1]}")
            continue
        findings += found(
            NAME,
            facts,
            reduction.line,
            f"This line starts {fmt.count(reduction.per_step)} collectives in every step and waits "
            f"for all ranks, in {of_step(facts, reduction.host_ms)}. What is only logged can be "
            "summed up locally and exchanged every few steps.",
            {
                "per_step": reduction.per_step,
                "line_ms": reduction.host_ms,
                "share": share_of_step(facts, reduction.host_ms),
            },
            Gain(0.0, reduction.host_ms, "All of the line's time."),
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="A collective for a number in every step",
    evaluate=evaluate,
    advice="Sum the metric up on each rank, and all-reduce it every few steps",
)
