"""unfused-norm: a normalisation written out in single operators."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.facts.patterns import Norm, Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "unfused-norm"

_INSTEAD = {"layer": "F.layer_norm", "rms": "F.rms_norm"}


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per place. RMS norm has a fused kernel on accelerators only."""
    patterns, models = facts.measured(Patterns), facts.measured(Models)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    if models is not None and models.compiled:
        return silent(NAME, "the model is compiled already")
    findings: list[Finding] = []
    for norm in patterns.norms:
        if norm.kind == "rms" and facts.machine.device == "cpu":
            silent(NAME, "a CPU has no fused RMS norm")
        elif negligible(facts, norm.ms):
            silent(NAME, f"{norm.ms:.3f} ms on line {norm.line[1]}")
        else:
            findings += _say(facts, norm)
    return tuple(findings)


def _say(facts: Facts, norm: Norm) -> tuple[Finding, ...]:
    name = _INSTEAD[norm.kind]
    return found(
        NAME,
        facts,
        norm.line,
        f"This normalisation runs {norm.operators} operators, each over the whole tensor, in "
        f"{of_step(facts, norm.ms)}, forward and backward. {name} is one operator for it.",
        {
            "operators": norm.operators,
            "norm_ms": norm.ms,
            "share": share_of_step(facts, norm.ms),
            "instead": name,
        },
        Gain(
            0.0,
            norm.ms * (1 - 1 / (2 * norm.operators)),
            "One or two passes over the data instead of one per operator, at best.",
        ),
        end_line=norm.last_line,
    )


RULE = Rule(
    name=NAME,
    title="A normalisation in single operators",
    evaluate=evaluate,
    advice="Use F.layer_norm or F.rms_norm (nn.LayerNorm, nn.RMSNorm) for these lines",
)
