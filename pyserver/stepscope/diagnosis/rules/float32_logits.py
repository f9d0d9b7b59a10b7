"""float32-logits: scores over a large vocabulary, in float32, fill a memory that is short.

The scores, their logarithm and their gradient are each as large as samples times vocabulary.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.facts.precision import Precision
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.pressure import PRESSURE, pressure
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "float32-logits"
_COPIES = 2  # the scores, or their gradient, and their logarithm: alive at once
_LOG_SOFTMAX = "aten::_log_softmax"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``pressure``: the peak's share of the device's memory. ``share``: of the peak, in scores and
    their logarithm. ``classes``: fewer are no vocabulary, and their scores are small.
    """

    pressure: float = PRESSURE
    share: float = 0.25
    classes: int = 4096


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, on the line of the loss."""
    precision, memory = facts.measured(Precision), facts.measured(Memory)
    filled = pressure(memory) if memory is not None else None
    if precision is None or memory is None or filled is None:
        return abstain(NAME, "shapes or the device's memory are not known")
    if filled < THRESHOLDS.pressure:
        return silent(NAME, f"the peak is {filled:.3f} of the device's memory")
    sizes: dict[LineKey, int] = defaultdict(int)
    for work in precision.work:
        if work.operator != _LOG_SOFTMAX or work.backward or not work.shapes:
            continue
        shape = work.shapes[0]
        if shape and shape[-1] >= THRESHOLDS.classes and work.dtypes[0] == "float32":
            sizes[work.line] = max(sizes[work.line], 4 * math.prod(shape) * _COPIES)
    if not sizes:
        return silent(NAME, "no loss over a large vocabulary in float32")
    line = max(sizes, key=lambda key: sizes[key])
    share = sizes[line] / max(1, memory.peak_bytes)
    if share < THRESHOLDS.share:
        return silent(NAME, f"the scores are {share:.3f} of the peak")
    message = (
        f"The scores of this loss and their logarithm take {fmt.size(sizes[line])} in float32, "
        f"{fmt.share(share)} of the peak, which fills {fmt.share(filled)} of the device: compute "
        "the loss over a few pieces of the batch, each with its scores, or with a fused linear "
        "cross-entropy."
    )
    evidence: dict[str, float | int | str] = {
        "logits_bytes": sizes[line],
        "share_of_peak": share,
        "share_of_device": filled,
    }
    return (finding_at(facts, NAME, line, Severity.INFORMATION, message, evidence),)


RULE = Rule(
    name=NAME,
    title="Scores over a large vocabulary in float32",
    evaluate=evaluate,
    advice="Compute scores and loss in pieces of the batch, or use a fused linear cross-entropy",
)
