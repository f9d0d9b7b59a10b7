"""cudnn-benchmark: cuDNN takes the first convolution algorithm instead of the fastest."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import found, of_step

NAME = "cudnn-benchmark"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step in convolutions. What another algorithm saves is not known before it
    is tried, so only a step that is mostly convolutions is worth the trial.
    """

    share: float = 0.30


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One hint, on the line with most of the convolutions."""
    patterns, models = facts.measured(Patterns), facts.measured(Models)
    if patterns is None or models is None:
        return abstain(NAME, "operators or modules were not looked at")
    if facts.machine.device == "cpu":
        return silent(NAME, "cuDNN is a GPU's")
    if models.cudnn_benchmark or models.cudnn_deterministic:
        return silent(NAME, "it is on, or results have to be reproducible")
    share = share_of_step(facts, patterns.convolutions_ms)
    if share < THRESHOLDS.share:
        return silent(NAME, f"convolutions take {share:.3f} of the step")
    if patterns.convolutions_line is None:
        return abstain(NAME, "no line runs the convolutions")
    return found(
        NAME,
        facts,
        patterns.convolutions_line,
        f"Convolutions take {of_step(facts, patterns.convolutions_ms)}, and cuDNN chooses their "
        "algorithms by a rule of thumb. With torch.backends.cudnn.benchmark = True it tries them "
        "once per size and keeps the fastest; what that saves shows only when tried.",
        {"convolutions_ms": patterns.convolutions_ms, "share": share},
        at_most=Severity.HINT,
    )


RULE = Rule(name=NAME, title="cuDNN does not look for its fastest algorithms", evaluate=evaluate)
