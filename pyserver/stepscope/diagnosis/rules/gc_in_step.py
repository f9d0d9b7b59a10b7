"""gc-in-step: Python's garbage is collected in every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, measured, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import collects_garbage, lines_of_step

NAME = "gc-in-step"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step that the call takes.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    findings: list[Finding] = []
    for line in lines_of_step(facts):
        if not collects_garbage(facts, line.key):
            continue
        spent = max(0.0, line.host_ms - (line.wait_ms.sync or 0.0))
        share = share_of_step(facts, spent)
        if share < THRESHOLDS.share:
            silent(NAME, f"takes {share:.3f} of the step on line {line.line}")
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                line.key,
                f"gc.collect() takes {fmt.duration(spent)} of {fmt.duration(step)} "
                f"({fmt.share(share)}) here: "
                "it looks at every object of the process. Tensors are freed without it, as soon as "
                "nothing refers to them.",
                {"spent_ms": spent, "share": share, "per_step": line.calls},
                (0.0, spent),
                "At most the time of the call.",
            )
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="Garbage is collected in every step",
    evaluate=evaluate,
    eases=Eases.HOST,
)
