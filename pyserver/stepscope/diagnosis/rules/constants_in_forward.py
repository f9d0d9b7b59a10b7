"""constants-in-forward: tensors of constants that each forward pass makes anew."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "constants-in-forward"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for made in patterns.factories:
        if negligible(facts, made.ms):
            silent(NAME, f"{made.ms:.3f} ms on line {made.line[1]}")
            continue
        findings += found(
            NAME,
            facts,
            made.line,
            f"forward makes the same constants ({made.name}) {fmt.count(made.per_step)} times per "
            f"step, in {of_step(facts, made.ms)}. Kept as a buffer they cost nothing.",
            {
                "made_ms": made.ms,
                "share": share_of_step(facts, made.ms),
                "per_step": made.per_step,
                "operator": made.name,
            },
            Gain(0.0, made.ms, "All of it, if the sizes stay the same."),
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="Constants made in every forward pass",
    evaluate=evaluate,
    advice="Make it once in __init__ with self.register_buffer(name, tensor, persistent=False)",
)
