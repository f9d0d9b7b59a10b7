"""pointwise-chain: elementwise operators in a row, each reading and writing a large tensor."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.facts.patterns import Chain, Patterns
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "pointwise-chain"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``share`` of the step: compiling a function costs seconds, so a tenth must be in it."""

    share: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per row of operators."""
    patterns, models = facts.measured(Patterns), facts.measured(Models)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    if models is not None and models.compiled:
        return silent(NAME, "the model is compiled already")
    findings: list[Finding] = []
    for chain in patterns.chains:
        if share_of_step(facts, chain.ms) < THRESHOLDS.share:
            silent(NAME, f"{chain.ms:.3f} ms on line {chain.line[1]}")
            continue
        findings += _say(facts, chain)
    return tuple(findings)


def _say(facts: Facts, chain: Chain) -> tuple[Finding, ...]:
    name = chain.function.rpartition(".")[2] or "this function"
    saved = chain.ms * (1 - 1 / chain.operators)
    return found(
        NAME,
        facts,
        chain.line,
        f"{chain.operators} elementwise operators in a row, from this line on, read and write "
        f"{fmt.count(chain.elements)} elements each and take {of_step(facts, chain.ms)}, forward "
        f"and backward. Compiled, {name} would pass over the data once.",
        {
            "operators": chain.operators,
            "elements": chain.elements,
            "chain_ms": chain.ms,
            "share": share_of_step(facts, chain.ms),
        },
        Gain(0.0, saved, "One pass over the data instead of one per operator, at best."),
        at_most=Severity.INFORMATION,
    )


RULE = Rule(
    name=NAME,
    title="Elementwise operators that one kernel could do",
    evaluate=evaluate,
    advice="Decorate the function with @torch.compile, or use a fused operator",
)
