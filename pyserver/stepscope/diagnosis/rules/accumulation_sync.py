"""accumulation-sync: gradients are exchanged after each micro-batch instead of once per step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, calls_of, found

NAME = "accumulation-sync"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``forwards``: passes through the model per step from which on it accumulates."""

    forwards: float = 1.9


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the backward pass."""
    distributed = facts.measured(Distributed)
    if distributed is None or len(distributed.replicas) != 1:
        return abstain(NAME, "there is not just one model in DistributedDataParallel")
    (replica,) = distributed.replicas
    if not replica.buckets:
        return abstain(NAME, "the number of buckets is not known")
    per_exchange = replica.buckets + (1 if replica.find_unused_parameters else 0)
    exchanges = distributed.reductions / per_exchange
    if distributed.forwards < THRESHOLDS.forwards:
        return silent(NAME, f"{distributed.forwards:.1f} forward passes per step")
    if exchanges < THRESHOLDS.forwards:
        return silent(NAME, f"{exchanges:.1f} exchanges per step")
    key = _backward(facts)
    if key is None:
        return abstain(NAME, "the line of the backward pass is not known")
    gain = None
    if distributed.exposed_ms is not None:
        saved = distributed.exposed_ms * (1 - 1 / exchanges)
        gain = Gain(0.0, saved, "All exchanges but one, as far as nothing hides them.")
    return found(
        NAME,
        facts,
        key,
        f"The step accumulates gradients over {fmt.count(distributed.forwards)} micro-batches and "
        f"exchanges them {fmt.count(exchanges)} times. Under model.no_sync() all but the last "
        "micro-batch keep theirs, and they are exchanged once.",
        {"micro_batches": distributed.forwards, "exchanges": exchanges},
        gain,
    )


def _backward(facts: Facts) -> LineKey | None:
    """The ``backward()`` call that runs in the step."""
    ran = {line.key for line in facts.profile.lines}
    for written in calls_of(facts, ("backward",)):
        if written.key in ran:
            return written.key
    host = facts.measured(Host)
    return host.forward_line if host is not None else None


RULE = Rule(
    name=NAME,
    title="Gradients exchanged after each micro-batch",
    evaluate=evaluate,
    advice="Run all micro-batches but the last one under `with model.no_sync():`",
)
