"""optimizer-foreach: an optimizer that updates one parameter after another in Python."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.optimizers import Optimizers
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, device_idle_ms, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.rules.optimizer_fused import gains_from_fused
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "optimizer-foreach"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step that the optimizer takes: half of it may go, and what is left must be
    more than the 3 % that two runs differ by. ``parameters``: fewer tensors give little to group.
    """

    share: float = 0.06
    parameters: int = 8


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per optimizer, where it is made."""
    optimizers = facts.measured(Optimizers)
    if optimizers is None:
        return abstain(NAME, "optimizers were not looked at")
    findings: list[Finding] = []
    for optimizer in optimizers.all:
        if optimizer.construct is None:
            abstain(NAME, f"no line is known for {optimizer.name}")
        elif optimizer.implementation != "single tensor" or not optimizer.takes_foreach:
            silent(NAME, f"{optimizer.name} is {optimizer.implementation}")
        elif optimizer.name == "SGD":
            silent(NAME, "SGD is about one operator per parameter already")
        elif gains_from_fused(optimizer):
            silent(NAME, "optimizer-fused speaks of it")
        elif (
            share_of_step(facts, optimizer.step_ms) < THRESHOLDS.share
            or optimizer.parameters < THRESHOLDS.parameters
        ):
            silent(NAME, f"{optimizer.name} takes {optimizer.step_ms:.3f} ms")
        else:
            outside = max(0.0, optimizer.step_ms - optimizer.update_ms)
            high = outside + optimizer.update_ms / 2
            idle = device_idle_ms(facts)
            if idle is not None:  # what the host takes beside a busy device costs nothing
                high = min(high, idle)
            findings += found(
                NAME,
                facts,
                optimizer.construct,
                f"{optimizer.name} updates {fmt.count(optimizer.parameters)} parameters one by "
                f"one, which takes {of_step(facts, optimizer.step_ms)}; only "
                f"{fmt.duration(optimizer.update_ms)} of that are arithmetic. With foreach=True "
                "each operation handles all of them.",
                {
                    "optimizer_ms": optimizer.step_ms,
                    "share": share_of_step(facts, optimizer.step_ms),
                    "update_ms": optimizer.update_ms,
                    "parameters": optimizer.parameters,
                },
                Gain(
                    0.0,
                    high,
                    "At most the time between its operators and half of that in them.",
                ),
            )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="The optimizer updates parameters one by one",
    evaluate=evaluate,
    eases=Eases.HOST,
)
