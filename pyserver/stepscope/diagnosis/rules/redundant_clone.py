"""redundant-clone: a tensor is copied although nobody changes either of the two in place.

Only where the function itself shows that: the copy and what it was made of are plain names, which
are used in no way that could change them.
"""

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
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.spelled import needless_clone, place_of

NAME = "redundant-clone"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step that the copy takes.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that copies for nothing."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for key, on_line in calls.by_line():
        cloned = [call for call in on_line if call.name == "aten::clone"]
        spent = sum(call.work_ms for call in cloned)
        share = share_of_step(facts, spent)
        if not cloned or share < THRESHOLDS.share:
            continue
        place = place_of(facts, key)
        if place is None:
            abstain(NAME, f"line {key[1]} is in no known statement")
            continue
        if needless_clone(place) is None:
            silent(NAME, f"the copy on line {key[1]} may be needed")
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                key,
                f"Copying this tensor takes {fmt.duration(spent)} of {fmt.duration(step)} "
                f"({fmt.share(share)}), and the function changes neither the copy nor the "
                "original in place, so it needs no copy.",
                {"copy_ms": spent, "share": share, "shapes": cloned[0].shapes or "not recorded"},
                (0.0, spent),
                "At most the time of the copy.",
            )
        )
    return tuple(findings)


RULE = Rule(name=NAME, title="A tensor is copied for nothing", evaluate=evaluate)
