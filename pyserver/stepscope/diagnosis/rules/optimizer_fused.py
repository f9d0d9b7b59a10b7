"""optimizer-fused: an optimizer of many small operators where torch has one fused operator."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.optimizers import OptimizerFacts, Optimizers
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, device_idle_ms, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "optimizer-fused"

# Plain SGD is about one operator per parameter already: fused it was no faster where measured.
_GAINING = ("Adam", "AdamW", "Adagrad")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step that the optimizer takes: most of it may go, and from 5 % on that is
    more than two runs differ by. ``passes``: an update written in single operators reads and
    writes its tensors about ten times, a fused one once.
    """

    share: float = 0.05
    passes: int = 10


THRESHOLDS = Thresholds()


def gains_from_fused(optimizer: OptimizerFacts) -> bool:
    """Whether its class has a fused implementation that is faster, for its parameters."""
    return optimizer.takes_fused and optimizer.name in _GAINING


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per optimizer, where it is made."""
    optimizers = facts.measured(Optimizers)
    if optimizers is None:
        return abstain(NAME, "optimizers were not looked at")
    findings: list[Finding] = []
    for optimizer in optimizers.all:
        if optimizer.construct is None:
            abstain(NAME, f"no line is known for {optimizer.name}")
        elif optimizer.implementation == "fused" or not gains_from_fused(optimizer):
            silent(NAME, f"{optimizer.name} is {optimizer.implementation} or cannot be fused")
        elif share_of_step(facts, optimizer.step_ms) < THRESHOLDS.share:
            silent(NAME, f"{optimizer.name} takes {optimizer.step_ms:.3f} ms")
        else:
            findings += _say(facts, optimizer)
    return tuple(findings)


def _say(facts: Facts, optimizer: OptimizerFacts) -> tuple[Finding, ...]:
    assert optimizer.construct is not None
    outside = max(0.0, optimizer.step_ms - optimizer.update_ms)
    high = outside + optimizer.update_ms * (1 - 1 / THRESHOLDS.passes)
    idle = device_idle_ms(facts)
    if idle is not None:  # what the host takes beside a busy device costs nothing
        high = min(high, idle)
    how = "one by one" if optimizer.implementation == "single tensor" else "in grouped operators"
    return found(
        NAME,
        facts,
        optimizer.construct,
        f"{optimizer.name} takes {of_step(facts, optimizer.step_ms)}: it updates "
        f"{fmt.count(optimizer.parameters)} parameters {how}, each in several passes. With "
        "fused=True one operator does it in one pass.",
        {
            "optimizer_ms": optimizer.step_ms,
            "share": share_of_step(facts, optimizer.step_ms),
            "update_ms": optimizer.update_ms,
            "parameters": optimizer.parameters,
            "implementation": optimizer.implementation,
        },
        Gain(
            outside / 2,
            high,
            "The time between its operators, and of that in them what one pass instead of ten "
            "saves at best.",
        ),
    )


RULE = Rule(
    name=NAME,
    title="The optimizer runs many operators instead of a fused one",
    evaluate=evaluate,
    eases=Eases.HOST,
)
