"""pageable-copy: batches are copied to the device from memory that it cannot read by itself.

The host has to stage such a copy piece by piece, so it is neither asynchronous nor fast.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.calls import Call, Calls
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    measured,
    share_of_step,
    silent,
)
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.waits import bounded_by_idle

NAME = "pageable-copy"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step that the host spends in these copies.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding: at the loader whose batches are copied, else at the line that copies most."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    if facts.machine.device == "cpu":
        return silent(NAME, "nothing is copied to a device")
    copying = [call for call in calls.all if _is_pageable(call) and not call.loading]
    spent = sum(call.host_ms for call in copying)
    share = share_of_step(facts, spent)
    if not copying or share < THRESHOLDS.share:
        return silent(NAME, f"copies from pageable memory take {share:.3f} of the step")
    most = max(copying, key=lambda call: call.host_ms)
    loaders = facts.measured(Loaders)
    unpinned = [
        loader
        for loader in (loaders.all if loaders is not None else ())
        if loader.pin_memory is False and loader.construct is not None
    ]
    key, advice = most.line, "Pin the memory that this copies from (tensor.pin_memory())"
    if len(unpinned) == 1 and unpinned[0].construct is not None:
        key, advice = unpinned[0].construct, "pin_memory=True makes this DataLoader pin its batches"
    step = facts.profile.step_ms.median
    return (
        measured(
            NAME,
            facts,
            key,
            f"The host spends {fmt.duration(spent)} of {fmt.duration(step)} ({fmt.share(share)}) "
            "copying tensors to the GPU from pageable memory, which it has to stage piece by "
            f"piece. {advice}; with non_blocking=True the copy then runs beside the host.",
            {
                "copy_ms": spent,
                "share": share,
                "copies": sum(call.copied("HtoD") for call in copying),
                "copied_at": f"line {most.line[1]}",
                "at": "loader" if key != most.line else "copy",
            },
            bounded_by_idle(facts, spent),
            "At most the time of the copies, and at most the GPU's idle time.",
        ),
    )


def _is_pageable(call: Call) -> bool:
    return any(copy.direction == "HtoD" and copy.pageable for copy in call.copies)


RULE = Rule(
    name=NAME,
    title="Batches are copied from pageable memory",
    evaluate=evaluate,
    eases=Eases.HOST,
)
