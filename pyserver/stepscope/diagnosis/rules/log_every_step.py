"""log-every-step: a line of log, which nobody reads at that rate, takes a part of every step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import measured, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import lines_of_step, logs

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
                f"Logging takes {fmt.duration(spent)} of {fmt.duration(step)} "
                f"({fmt.share(share)}) on this "
                "line, in every step. Every 50 steps are enough to follow a training.",
                {"spent_ms": spent, "share": share, "per_step": line.calls},
                (0.0, spent),
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
