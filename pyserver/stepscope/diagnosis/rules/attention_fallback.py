"""attention-fallback: scaled_dot_product_attention that ran as plain operators on a GPU."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import MathAttention, Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import found, of_step

NAME = "attention-fallback"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line. On a CPU the fall-back is what dropout needs, so nothing is said."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    if facts.machine.device == "cpu":
        return silent(NAME, "the fused kernels of a CPU are few")
    findings: list[Finding] = []
    for attention in patterns.math_attention:
        if negligible(facts, attention.ms):
            silent(NAME, f"{attention.ms:.3f} ms on line {attention.line[1]}")
        else:
            findings += _say(facts, attention)
    return tuple(findings)


def _say(facts: Facts, attention: MathAttention) -> tuple[Finding, ...]:
    given = f" (it was given {attention.shapes} in {attention.dtypes})" if attention.shapes else ""
    return found(
        NAME,
        facts,
        attention.line,
        f"No fused kernel took this attention{given}, so it ran as plain operators, in "
        f"{of_step(facts, attention.ms)}. A mask that broadcasts, a head of 8 × n up to 256 wide, "
        "half precision and inputs contiguous in the last dimension let one take it.",
        {
            "attention_ms": attention.ms,
            "share": share_of_step(facts, attention.ms),
            "per_step": attention.per_step,
            "shapes": attention.shapes or "not recorded",
            "dtypes": attention.dtypes or "not recorded",
        },
    )


RULE = Rule(
    name=NAME,
    title="Fused attention fell back to plain operators",
    evaluate=evaluate,
    advice="Ask why: with torch.nn.attention.sdpa_kernel([SDPBackend.FLASH_ATTENTION, "
    "SDPBackend.EFFICIENT_ATTENTION]) the call warns of what keeps each kernel off",
)
