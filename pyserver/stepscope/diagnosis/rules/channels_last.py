"""channels-last: half-precision convolutions whose weights lie channels first."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.places import model_line
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "channels-last"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step in half-precision convolutions: of a sixth, a quarter is 4 %.
    ``speedup``: the most that PyTorch's own tutorial on the format reports, 35 %.
    """

    share: float = 0.15
    speedup: float = 1.35


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the model is made."""
    patterns, models = facts.measured(Patterns), facts.measured(Models)
    if patterns is None or models is None:
        return abstain(NAME, "operators or modules were not looked at")
    if facts.machine.device == "cpu":
        return silent(NAME, "tensor cores are a GPU's")
    ms = patterns.half_convolutions_ms
    if share_of_step(facts, ms) < THRESHOLDS.share:
        return silent(NAME, f"{ms:.3f} ms of convolutions in half precision")
    if not models.convolutions or models.channels_last:
        return silent(NAME, "the weights lie channels last, or there are none")
    key = model_line(facts)
    if key is None:
        return abstain(NAME, "the line that makes the model is not known")
    return found(
        NAME,
        facts,
        key,
        f"Half-precision convolutions take {of_step(facts, ms)}, and the weights of all "
        f"{fmt.count(models.convolutions)} lie channels first. Tensor cores want channels last; "
        "otherwise each convolution may copy its inputs into that order and back.",
        {
            "convolutions_ms": ms,
            "share": share_of_step(facts, ms),
            "convolutions": models.convolutions,
        },
        Gain(
            0.0,
            ms * (1 - 1 / THRESHOLDS.speedup),
            "The convolutions' time, at the largest speedup that PyTorch's tutorial reports.",
        ),
        at_most=Severity.INFORMATION,
    )


RULE = Rule(name=NAME, title="Half-precision convolutions channels first", evaluate=evaluate)
