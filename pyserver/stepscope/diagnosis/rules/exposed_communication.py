"""exposed-communication: the device communicates and computes nothing meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "exposed-communication"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``share`` of the step that nothing hides; the last bucket cannot be hidden, so a tenth."""

    share: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the line that most of it belongs to."""
    distributed = facts.measured(Distributed)
    if distributed is None or distributed.exposed_ms is None:
        return abstain(NAME, "communication was not measured")
    share = share_of_step(facts, distributed.exposed_ms)
    if share < THRESHOLDS.share:
        return silent(NAME, f"communication is exposed for {share:.3f} of the step")
    if distributed.exposed_line is None:
        return abstain(NAME, "no line is known for the communication")
    return found(
        NAME,
        facts,
        distributed.exposed_line,
        f"For {of_step(facts, distributed.exposed_ms)} the GPU exchanges data with the other "
        f"{distributed.size - 1} and computes nothing meanwhile. Larger batches, accumulation over "
        "several or gradients compressed to 16 bits make it a smaller part.",
        {
            "exposed_ms": distributed.exposed_ms,
            "share": share,
            "processes": distributed.size,
            "reductions": distributed.reductions,
        },
        Gain(0.0, distributed.exposed_ms, "All communication that nothing hides, at best."),
    )


RULE = Rule(
    name=NAME,
    title="Communication that no computation hides",
    evaluate=evaluate,
    advice="Accumulate gradients over several batches under no_sync(), or register "
    "bf16_compress_hook",
)
