"""einsum-copies: einsum that permutes and copies its inputs before it multiplies."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.patterns.others import EINSUM
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "einsum-copies"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for copies in patterns.copies:
        if copies.operator != EINSUM or negligible(facts, copies.ms):
            silent(NAME, f"{copies.operator} copies for {copies.ms:.3f} ms")
            continue
        findings += found(
            NAME,
            facts,
            copies.line,
            f"einsum permutes its inputs and copies them {fmt.count(copies.per_step)} times per "
            f"step before it multiplies, in {of_step(facts, copies.ms)}. With the summed index "
            "last in the first input and the shared ones first in both, none is needed.",
            {
                "copies_ms": copies.ms,
                "share": share_of_step(facts, copies.ms),
                "copies": copies.per_step,
            },
            Gain(0.0, copies.ms, "All of the copies."),
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="einsum copies its inputs first",
    evaluate=evaluate,
    advice="Order the indices so that no permutation is needed, or use torch.matmul",
)
