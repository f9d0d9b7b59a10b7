"""memory-requests: steady steps ask the device for memory, since no freed block fits.

The allocator keeps what it has, so after the first steps it asks for nothing more, unless sizes
change from batch to batch or memory is so short that it has to give its blocks back.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, abstain, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.statements import called, finding_at, written

NAME = "memory-requests"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    Shares of the step spent in such calls; ``warning`` also from the first retry on, which
    empties the whole cache and waits for the device.
    """

    information: float = NEGLIGIBLE_SHARE
    warning: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, on the line that asks for longest."""
    memory = facts.measured(Memory)
    if facts.machine.device == "cpu" or memory is None or memory.retries is None:
        return abstain(NAME, "there is no allocator that keeps memory, or it was not asked")
    if written(facts, lambda node: called(node) == "empty_cache"):
        return silent(NAME, "the script empties the cache itself")
    ms = sum(request.ms for request in memory.requests)
    share = share_of_step(facts, ms)
    if not memory.requests or share < THRESHOLDS.information:
        return silent(NAME, f"{share:.3f} of the step, {memory.retries:.2f} retries")
    most = max(memory.requests, key=lambda request: request.ms)
    calls = sum(request.calls for request in memory.requests)
    retried = (
        f" {fmt.count(memory.retries)} times per step it found nothing and gave its cache back."
        if memory.retries
        else ""
    )
    message = (
        f"The allocator asks the device for memory {fmt.count(calls)} times per step, most of it "
        f"for this line, and that takes {fmt.duration(ms)} ({fmt.share(share)} of the step)."
        f"{retried} Keep the shapes of batches the same, or start with the largest one."
    )
    evidence: dict[str, float | int | str] = {
        "request_ms": ms,
        "share": share,
        "per_step": calls,
        "retries_per_step": memory.retries,
    }
    large = share >= THRESHOLDS.warning or memory.retries > 0
    severity = Severity.WARNING if large else Severity.INFORMATION
    return (finding_at(facts, NAME, most.line, severity, message, evidence, (0.0, ms)),)


RULE = Rule(
    name=NAME,
    title="Memory asked from the device in every step",
    evaluate=evaluate,
    advice="Pad batches to a few fixed lengths, and run one batch of the greatest length first",
    eases=Eases.HOST,
)
