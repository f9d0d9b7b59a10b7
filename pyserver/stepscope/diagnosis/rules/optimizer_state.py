"""optimizer-state: the optimizer's state is most of a memory that is nearly full."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.pressure import PRESSURE, pressure
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "optimizer-state"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``pressure``: the peak's share of the device's memory. ``share`` of the peak that the state
    takes: Adam's is twice the parameters, so from 40 % on weights, gradients and state together
    leave little for activations.
    """

    pressure: float = PRESSURE
    share: float = 0.40


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, where the optimizer with the largest state is made."""
    memory = facts.measured(Memory)
    filled = pressure(memory) if memory is not None else None
    if memory is None or filled is None:
        return abstain(NAME, "the device's memory is not known")
    if not memory.optimizers:
        return silent(NAME, "no optimizer stepped")
    largest = max(memory.optimizers, key=lambda one: one.state_bytes)
    share = largest.state_bytes / max(1, memory.peak_bytes)
    if filled < THRESHOLDS.pressure or share < THRESHOLDS.share:
        return silent(NAME, f"the state is {share:.2f} of a peak that fills {filled:.2f}")
    if largest.line is None:
        return abstain(NAME, "where the optimizer is made is not to be seen")
    message = (
        f"The state of {largest.name} takes {fmt.size(largest.state_bytes)}, {fmt.share(share)} of "
        f"the peak, which fills {fmt.share(filled)} of the device: an optimizer with 8-bit or "
        "factored state, or state shared out over several GPUs, would leave room."
    )
    evidence: dict[str, float | int | str] = {
        "state_bytes": largest.state_bytes,
        "parameter_bytes": largest.parameter_bytes,
        "share_of_peak": share,
        "share_of_device": filled,
    }
    found = finding_at(facts, NAME, largest.line, Severity.INFORMATION, message, evidence)
    return (found,)


RULE = Rule(
    name=NAME,
    title="The optimizer's state fills the memory",
    evaluate=evaluate,
    advice="Use an 8-bit or factored optimizer (Adafactor), or shard its state (FSDP, ZeRO)",
)
