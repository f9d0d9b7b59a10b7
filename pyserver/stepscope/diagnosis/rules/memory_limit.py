"""memory-limit: the step's peak nearly fills the device."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.pressure import owners, pressure
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "memory-limit"
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    The peak as a share of the device's memory. A batch of longer samples is easily 10 % more;
    from 97 % on the context of CUDA and the allocator's blocks leave nothing.
    """

    information: float = 0.90
    warning: float = 0.97


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, on the line that holds most of the peak."""
    memory = facts.measured(Memory)
    share = pressure(memory) if memory is not None else None
    if memory is None or share is None:
        return abstain(NAME, "the device's memory is not known")
    if share < THRESHOLDS.information:
        return silent(NAME, f"the peak is {share:.3f} of the device's memory")
    largest = owners(facts)[:_NAMED]
    if not largest:
        return abstain(NAME, "no line is known for the memory")
    named = ", ".join(
        f"line {line} of {Path(file).name} ({fmt.size(size)})" for (file, line), size in largest
    )
    assert memory.device_bytes is not None
    message = (
        f"The step's peak is {fmt.size(memory.peak_bytes)} of the device's "
        f"{fmt.size(memory.device_bytes)} ({fmt.share(share)}), so a larger batch may not fit; "
        f"most is held by {named}: compute in half precision, recompute activations, or "
        "make the batch smaller."
    )
    evidence: dict[str, float | int | str] = {
        "peak_bytes": memory.peak_bytes,
        "device_bytes": memory.device_bytes,
        "share": share,
        "line_bytes": largest[0][1],
    }
    severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
    return (finding_at(facts, NAME, largest[0][0], severity, message, evidence),)


RULE = Rule(
    name=NAME,
    title="Memory is nearly full at the peak",
    evaluate=evaluate,
    advice="Use torch.autocast, checkpoint repeated blocks, or split the batch and accumulate",
)
