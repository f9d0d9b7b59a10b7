"""log-every-step: a line of log, which nobody reads at that rate, takes a part of every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import measured
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import lines_of_step, logs, time_spent

NAME = "log-every-step"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step, without waiting for the device, which is another rule's. One line of log
    takes some 20 us: only where it is dear, or steps are very short, is it worth a word.
    """

    share: float = 0.05


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    findings: list[Finding] = []
    for line in lines_of_step(facts):
        if not logs(facts, line.key):
            continue
        spent = time_spent(NAME, facts, line, THRESHOLDS.share)
        if spent is None:
            continue
        findings.append(
            measured(
                NAME,
                facts,
                line.key,
                f"Logging takes {spent.in_words} on this "
                "line, in every step. Every 50 steps are enough to follow a training.",
                spent.evidence,
                (0.0, spent.ms),
                "At most the line's time on the host.",
            )
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="Logging takes a part of every step",
    evaluate=evaluate,
    eases=Eases.HOST,
)
