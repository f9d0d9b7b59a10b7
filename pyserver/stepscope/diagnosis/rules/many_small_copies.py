"""many-small-copies: one line makes many copies to the device where one would do."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.calls import Calls
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

NAME = "many-small-copies"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``copies``: per step by one line; a batch of a few tensors has less. ``small_ms``: of one copy
    on the device; starting one takes the host about as long, so a larger one is worth its own.
    ``share``: of the step that the host spends in them.
    """

    copies: float = 10
    small_ms: float = 0.02
    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for key, on_line in calls.by_line():
        copying = [call for call in on_line if call.copied("HtoD")]
        number = sum(call.copied("HtoD") for call in copying)
        if number < THRESHOLDS.copies:
            continue
        spent = sum(call.host_ms for call in copying)
        device = sum(copy.device_ms for call in copying for copy in call.copies)
        share = share_of_step(facts, spent)
        if device / number > THRESHOLDS.small_ms or share < THRESHOLDS.share:
            silent(NAME, f"{number:.0f} copies take {share:.3f} of the step on line {key[1]}")
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                key,
                f"This line makes {number:.0f} small copies to the GPU in every step: the host "
                f"needs {fmt.duration(spent)} of {fmt.duration(step)} ({fmt.share(share)}) for "
                f"them, the GPU {fmt.duration(device)}. Put them into one tensor and copy that.",
                {"copies": number, "host_ms": spent, "device_ms": device, "share": share},
                bounded_by_idle(facts, spent * (1 - 1 / number)),
                "At most the host's time for all copies but one, and the GPU's idle time.",
            )
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="Many small copies to the device",
    evaluate=evaluate,
    advice="Put the tensors into one (torch.stack) on the host and copy that",
    eases=Eases.HOST,
)
