"""slow-collate: the step waits for its data, and putting batches together takes most of it."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.finding import Finding, Related
from stepscope.diagnosis.gates import abstain, measured, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.spelled import loading_lines, runs_in
from stepscope.diagnosis.worker_plan import workers_would_do

NAME = "slow-collate"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``wait``: share of the step spent waiting for data, as for slow-input. ``part``: of what all
    lines take to make a batch; below half of it the samples cost more than putting them together.
    """

    wait: float = 0.10
    part: float = 0.5


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per collate function, on its slowest line."""
    loaders = facts.measured(Loaders)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    step = facts.profile.step_ms.median
    findings: list[Finding] = []
    for loader in loaders.all:
        share = share_of_step(facts, loader.wait_ms)
        if loader.collate is None or share < THRESHOLDS.wait:
            silent(NAME, "the step does not wait, or the collate function is not known")
            continue
        if workers_would_do(facts, loader):
            silent(NAME, "more workers would hide it")
            continue
        lines = [(line, ms) for line, ms in loading_lines(facts) if line.key != loader.loop]
        total = sum(ms for _, ms in lines)
        own = [(line, ms) for line, ms in lines if runs_in(line, loader.collate)]
        took = sum(ms for _, ms in own)
        if not own or took < THRESHOLDS.part * total:
            silent(NAME, "putting batches together is the smaller part")
            continue
        slowest = max(own, key=lambda item: item[1])[0]
        wait, part = min(loader.wait_ms, step), took / total
        saved = wait * part if slowest.worker_ms is not None else min(wait, took)
        findings.append(
            measured(
                NAME,
                facts,
                slowest.key,
                f"The step waits {fmt.duration(wait)} of {fmt.duration(step)} for its data, and "
                f"putting batches together takes {fmt.share(part)} of what lines take to make one, "
                "most of it here. Fill one tensor of the batch's size, or let "
                "the samples be tensors that torch.stack puts together.",
                {
                    "wait_ms": wait,
                    "wait_share": share,
                    "collate_share": part,
                },
                gain_ms=(0.0, saved),
                gain_source="At most the collate function's part of the wait.",
                related=_others(own, loader.loop),
            )
        )
    return tuple(findings)


def _others(own: list[tuple[LineCost, float]], loop: LineKey | None) -> list[Related]:
    """The collate function's other lines, the slowest first, and the loop that waits for them."""
    slowest_first = sorted(own, key=lambda item: -item[1])
    found = [
        Related(*line.key, f"takes {fmt.duration(ms)} of the same batch")
        for line, ms in slowest_first
        if ms > 0
    ]
    return found if loop is None else [*found, Related(*loop, "waits for the batch here")]


RULE = Rule(
    name=NAME,
    title="Putting batches together takes most of loading",
    evaluate=evaluate,
    advice="Fill one tensor of the batch's size instead of joining many small ones",
)
