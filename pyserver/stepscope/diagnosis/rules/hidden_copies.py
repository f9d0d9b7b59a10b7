"""hidden-copies: a product or convolution that first copies its inputs into another order."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import Copies, Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.patterns.others import EINSUM
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "hidden-copies"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line; einsum has a rule of its own."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for copies in patterns.copies:
        if copies.operator == EINSUM or negligible(facts, copies.ms):
            silent(NAME, f"{copies.operator} copies for {copies.ms:.3f} ms")
        else:
            findings += _say(facts, copies)
    return tuple(findings)


def _say(facts: Facts, copies: Copies) -> tuple[Finding, ...]:
    name = copies.operator.removeprefix("aten::")
    return found(
        NAME,
        facts,
        copies.line,
        f"{name} copies its inputs {fmt.count(copies.per_step)} times per step because they do not "
        f"lie in memory in the order that it needs, in {of_step(facts, copies.ms)}.",
        {
            "copies_ms": copies.ms,
            "share": share_of_step(facts, copies.ms),
            "copies": copies.per_step,
            "operator": name,
        },
        Gain(0.0, copies.ms, "All of the copies."),
    )


RULE = Rule(
    name=NAME,
    title="An operator copies its inputs first",
    evaluate=evaluate,
    advice="Keep the tensor in the order that is needed where it is made, so that neither "
    "transpose nor expand stands before this operator",
)
