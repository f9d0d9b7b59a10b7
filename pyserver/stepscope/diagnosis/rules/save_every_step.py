"""save-every-step: something is written to a file in every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, measured
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import lines_of_step, saves, time_spent

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
        spent = time_spent(NAME, facts, line, THRESHOLDS.share)
        if spent is None:
            continue
        findings.append(
            measured(
                NAME,
                facts,
                line.key,
                f"Writing to a file takes {spent.in_words} "
                "on this line, and the step waits for it. Write every some hundred steps, or in "
                "another thread.",
                spent.evidence,
                (0.0, spent.ms),
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
