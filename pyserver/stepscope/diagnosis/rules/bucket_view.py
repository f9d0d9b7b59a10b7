"""bucket-view: DDP copies every gradient into a bucket and back."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, calls_of, found, of_step

NAME = "bucket-view"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the model is wrapped, if the copies or their memory matter."""
    distributed = facts.measured(Distributed)
    if distributed is None or not distributed.replicas:
        return abstain(NAME, "no model is in DistributedDataParallel")
    copying = [one for one in distributed.replicas if not one.gradient_as_bucket_view]
    if not copying:
        return silent(NAME, "gradients are views of their buckets")
    size = sum(one.gradient_bytes for one in copying)
    memory = facts.profile.memory
    matters = memory is not None and size >= NEGLIGIBLE_SHARE * memory.peak_bytes
    ms = distributed.copies_ms
    if negligible(facts, ms) and not matters:
        return silent(NAME, f"copies take {ms:.3f} ms")
    calls = calls_of(facts, ("DistributedDataParallel", "DDP"))
    if not calls:
        return abstain(NAME, "the line that wraps the model is not in the sources")
    evidence: dict[str, float | int | str] = {
        "copies_ms": ms,
        "share": share_of_step(facts, ms),
        "gradient_bytes": size,
    }
    takes = "" if negligible(facts, ms) else f" and take {of_step(facts, ms)}"
    return found(
        NAME,
        facts,
        calls[0].key,
        f"DDP keeps a second copy of all gradients in its buckets: the copies hold "
        f"{fmt.size(size)}{takes}. With gradient_as_bucket_view=True the gradients are views of "
        "the buckets.",
        evidence,
        None if negligible(facts, ms) else Gain(0.0, ms, "All copies into buckets and back."),
        at_most=Severity.INFORMATION,
    )


RULE = Rule(name=NAME, title="DDP keeps a second copy of the gradients", evaluate=evaluate)
