"""recompiles: a function that torch.compile compiles again and again."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.compiling import Compiling
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import found

NAME = "recompiles"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``count``: torch makes a changing size symbolic after the first change, so one or two more
    compilations are how it is meant to work.
    """

    count: int = 3


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per function. What compiling costs depends on how often it will happen."""
    compiling = facts.measured(Compiling)
    if compiling is None:
        return abstain(NAME, "nothing was compiled")
    findings: list[Finding] = []
    for again in compiling.recompiles:
        if again.count < THRESHOLDS.count:
            silent(NAME, f"{again.function} was compiled {again.count} more times")
            continue
        limit = ""
        if compiling.limit is not None:
            limit = f" After {compiling.limit} variants torch runs it uncompiled."
        findings += found(
            NAME,
            facts,
            again.line,
            f"torch.compile compiled {again.function} {fmt.plural(again.count, 'more time')} "
            f"because what it had assumed did not hold: {again.reason}.{limit}",
            {"recompiles": again.count, "reason": again.reason},
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="torch.compile compiles the same function again and again",
    evaluate=evaluate,
    advice="Keep what changes out of the function, pad to fixed sizes, or use "
    "torch._dynamo.mark_dynamic",
)
