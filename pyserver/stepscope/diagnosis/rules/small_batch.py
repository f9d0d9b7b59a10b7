"""small-batch: a training step of small work on a device with room for a larger batch.

Only where the GPU waits to be given work because the work is small: a step that waits for data,
copies or values gains nothing from more of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.graphs import Graphs
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.pressure import pressure
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "small-batch"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``peak``: share of the device's memory, so that the batch can at least double.
    ``overhead``: share of the step in which the GPU waits to be given work; below one half a
    second batch takes half as long again. ``waits``: share of the step that waits for data, copies
    or values, which a larger batch makes longer.
    """

    peak: float = 0.40
    overhead: float = 0.50
    waits: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, where the loader is made."""
    memory, graphs, loaders = (
        facts.measured(Memory),
        facts.measured(Graphs),
        facts.measured(Loaders),
    )
    share = pressure(memory) if memory is not None else None
    if memory is None or graphs is None or loaders is None or share is None:
        return abstain(NAME, "the device's memory or the loaders are not known")
    if not graphs.backward_lines:
        return silent(NAME, "nothing is trained: a larger batch makes each answer later")
    parts = facts.profile.breakdown
    waits = parts.data + parts.copy + parts.sync + parts.communication
    overhead = parts.overhead + parts.idle
    if share >= THRESHOLDS.peak or overhead < THRESHOLDS.overhead or waits >= THRESHOLDS.waits:
        return silent(NAME, f"peak {share:.2f}, overhead {overhead:.2f}, waits {waits:.2f}")
    known = [one for one in loaders.all if one.construct is not None and one.batch_size]
    if len(known) != 1:
        return silent(NAME, f"{len(known)} loaders with a batch size are read in the step")
    (loader,) = known
    assert loader.construct is not None
    message = (
        f"The GPU waits {fmt.share(overhead)} of the step to be given work, and the peak takes "
        f"{fmt.share(share)} of its memory: with more than the {loader.batch_size} samples of this "
        "loader's batch each step would do more in nearly the same time (the learning rate may "
        "need to follow)."
    )
    evidence: dict[str, float | int | str] = {
        "batch_size": loader.batch_size or 0,
        "overhead_share": overhead,
        "share_of_device": share,
    }
    # More samples in the same time: the step itself gets no shorter, hence no gain in ms.
    found = finding_at(facts, NAME, loader.construct, Severity.INFORMATION, message, evidence)
    return (found,)


RULE = Rule(
    name=NAME,
    title="Room for a larger batch",
    evaluate=evaluate,
    advice="Try twice the batch_size and compare samples per second, then the learning rate",
)
