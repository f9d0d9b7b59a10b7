"""fragmentation: the allocator holds much more memory than the step uses at its peak."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at, import_of_torch

NAME = "fragmentation"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``ratio`` of what the allocator holds to the peak in use: it rounds sizes and keeps what was
    freed, so half as much again is usual. ``device``: below 30 % of the device's memory nobody
    misses what is held. ``warning``: from 90 % on the next larger request may find nothing.
    """

    ratio: float = 2.0
    device: float = 0.30
    warning: float = 0.90


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, on the line that imports torch: the setting must come before it."""
    memory = facts.measured(Memory)
    if memory is None or memory.reserved_bytes is None or not memory.device_bytes:
        return abstain(NAME, "there is no allocator that keeps memory, or it was not asked")
    ratio = memory.reserved_bytes / max(1, memory.peak_bytes)
    share = memory.reserved_bytes / memory.device_bytes
    if ratio < THRESHOLDS.ratio or share < THRESHOLDS.device:
        return silent(NAME, f"holds {ratio:.2f} times the peak, {share:.2f} of the device")
    key = import_of_torch(facts) or (facts.profile.memory and facts.profile.memory.peak_line)
    if not key:
        return abstain(NAME, "no line of the script is known")
    message = (
        f"The allocator holds {fmt.size(memory.reserved_bytes)} ({fmt.share(share)} of the device) "
        f"while the step never uses more than {fmt.size(memory.peak_bytes)}: freed blocks are too "
        "small or too large for what is asked for; let segments grow "
        "(PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), or keep shapes the same."
    )
    evidence: dict[str, float | int | str] = {
        "reserved_bytes": memory.reserved_bytes,
        "peak_bytes": memory.peak_bytes,
        "ratio": ratio,
        "share_of_device": share,
    }
    severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
    return (finding_at(facts, NAME, key, severity, message, evidence),)


RULE = Rule(
    name=NAME,
    title="The allocator holds far more memory than is used",
    evaluate=evaluate,
    advice="Start with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True in the environment",
)
