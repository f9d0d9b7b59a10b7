"""save-every-step: something is written to a file in every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, measured, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import lines_of_step, saves

NAME = "save-every-step"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step that writing takes.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    findings: list[Finding] = []
    for line in lines_of_step(facts):
        if not saves(facts, line.key):
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
                f"Writing to a file takes {fmt.duration(spent)} of {fmt.duration(step)} "
                f"({fmt.share(share)}) "
                "on this line, and the step waits for it. Write every some hundred steps, or in "
                "another thread.",
                {"spent_ms": spent, "share": share, "per_step": line.calls},
                (0.0, spent),
                "At most the line's time on the host.",
            )
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="A file is written in every step",
    evaluate=evaluate,
    advice="Write every some hundred steps, or hand a copy to another thread",
    eases=Eases.HOST,
)
