"""gc-in-step: Python's garbage is collected in every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, measured
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import collects_garbage, lines_of_step, time_spent

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
        spent = time_spent(NAME, facts, line, THRESHOLDS.share)
        if spent is None:
            continue
        findings.append(
            measured(
                NAME,
                facts,
                line.key,
                f"gc.collect() takes {spent.in_words} here: "
                "it looks at every object of the process. Tensors are freed without it, as soon as "
                "nothing refers to them.",
                spent.evidence,
                (0.0, spent.ms),
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
