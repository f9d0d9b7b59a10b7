"""unfused-attention: softmax between two products, which one operator does without the scores."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import Attention, Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "unfused-attention"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per softmax."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for attention in patterns.attention:
        if negligible(facts, attention.between_ms):
            silent(NAME, f"{attention.between_ms:.3f} ms on line {attention.line[1]}")
        else:
            findings += _say(facts, attention)
    return tuple(findings)


def _say(facts: Facts, attention: Attention) -> tuple[Finding, ...]:
    scores = f" of {attention.shape}" if attention.shape else ""
    if attention.own:
        cure = "F.scaled_dot_product_attention never writes them down."
    else:
        cure = "With need_weights=False the module uses scaled_dot_product_attention instead."
    return found(
        NAME,
        facts,
        attention.line,
        f"Attention is written out here: scaling, masking and softmax of the scores{scores} take "
        f"{of_step(facts, attention.between_ms)} beside the two products. {cure}",
        {
            "between_ms": attention.between_ms,
            "share": share_of_step(facts, attention.between_ms),
            "products_ms": attention.products_ms,
            "scores": attention.shape or "not recorded",
            "written": "here" if attention.own else "in a module",
        },
        Gain(0.0, attention.between_ms, "All between the two products, at best."),
    )


RULE = Rule(name=NAME, title="Attention that writes its scores down", evaluate=evaluate)
