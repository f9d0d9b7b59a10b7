"""pin-in-loop: memory is pinned in every step, which takes longer than the copy it is to help."""

from __future__ import annotations

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

NAME = "pin-in-loop"
_PINS = frozenset({"aten::pin_memory", "aten::_pin_memory"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that pins."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for key, on_line in calls.by_line():
        spent = sum(call.host_ms for call in on_line if call.name in _PINS)
        share = share_of_step(facts, spent)
        if share < NEGLIGIBLE_SHARE:
            silent(NAME, f"pinning takes {share:.3f} of the step on line {key[1]}")
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                key,
                f"Pinning memory takes {fmt.duration(spent)} of {fmt.duration(step)} "
                f"({fmt.share(share)}) here: it copies the tensor once more, on the step's own "
                "thread. Let the DataLoader pin (pin_memory=True), or copy without it.",
                {"pin_ms": spent, "share": share},
                (0.0, spent),
                "At most the time of pinning; the copy itself may take longer without it.",
            )
        )
    return tuple(findings)


RULE = Rule(name=NAME, title="Memory is pinned in every step", evaluate=evaluate, eases=Eases.HOST)
