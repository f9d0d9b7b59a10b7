"""empty-cache: the allocator's cache is given back in every step and fetched again."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, measured, unmeasured
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import empties_cache, lines_of_step, time_spent
from stepscope.diagnosis.waits import bounded_by_idle

NAME = "empty-cache"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step that the call itself takes. What the driver needs to hand the memory out
    again comes on top and is not counted.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    findings: list[Finding] = []
    for line in lines_of_step(facts):
        if not empties_cache(facts, line.key):
            continue
        if facts.machine.device == "cpu":
            findings.append(
                unmeasured(
                    NAME,
                    facts,
                    line.key,
                    "On a GPU, empty_cache() in every step gives memory back that the next "
                    "operators have to ask the driver for again, which synchronises.",
                    {"per_step": line.calls},
                )
            )
            continue
        spent = time_spent(NAME, facts, line, THRESHOLDS.share)
        if spent is None:
            continue
        findings.append(
            measured(
                NAME,
                facts,
                line.key,
                f"empty_cache() takes {spent.in_words} here, "
                "and what it gives back the next operators have to ask the driver for again. It "
                "frees nothing that PyTorch could not reuse itself.",
                spent.evidence,
                bounded_by_idle(facts, spent.ms),
                "At most the call itself, and at most the GPU's idle time; new memory costs more.",
            )
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="The allocator's cache is emptied in every step",
    evaluate=evaluate,
    eases=Eases.HOST,
)
