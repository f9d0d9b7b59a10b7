"""float32-attention: attention scores in float32 in a program that otherwise computes in half.

Batched products in float32 next to a softmax, while the other products run in half precision: their
inputs were converted by hand. A softmax that autocast itself runs in float32 is no such case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.precision import HALVES, Precision
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "float32-attention"
_BATCHED = ("aten::bmm", "aten::baddbmm")
_SOFTMAX = "aten::_softmax"
_LINES_APART = 12
"""Scores, mask, softmax and the product with the values stand together in one function."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``share`` of the step in such products of one line. ``half``: of all products' time, what
    must run in half precision for float32 to be the exception. ``ratio`` of the peaks, below which
    nothing is gained.
    """

    share: float = NEGLIGIBLE_SHARE
    half: float = 0.20
    ratio: float = 1.3


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line with such products."""
    precision, machine = facts.measured(Precision), facts.machine
    if precision is None:
        return abstain(NAME, "dtypes were not measured")
    products = [work for work in precision.work if work.matmul]
    total = sum(work.ms for work in products)
    half = sum(work.ms for work in products if any(d in HALVES for d in work.dtypes))
    if not total or half < THRESHOLDS.half * total:
        return silent(NAME, "the program does not compute in half precision")
    if not machine.float32_peak or not machine.bfloat16_peak:
        return abstain(NAME, "the device's peaks are not known")
    ratio = machine.bfloat16_peak / machine.float32_peak
    if ratio < THRESHOLDS.ratio:
        return silent(NAME, f"half precision is {ratio:.2f} times as fast here")
    softmaxes = {work.line for work in precision.work if work.operator == _SOFTMAX}
    by_line: dict[LineKey, float] = defaultdict(float)
    for work in products:
        batched = work.operator in _BATCHED and set(work.dtypes) == {"float32"}
        if batched and any(_near(work.line, other) for other in softmaxes):
            by_line[work.line] += work.ms
    findings: list[Finding] = []
    for line, ms in sorted(by_line.items()):
        share = share_of_step(facts, ms)
        if share < THRESHOLDS.share:
            silent(NAME, f"{share:.3f} of the step on line {line[1]}")
            continue
        gain = (ms * (1 - 1 / math.sqrt(ratio)), ms * (1 - 1 / ratio))
        message = (
            f"The attention products of this line run in float32 and take {fmt.duration(ms)} of "
            f"the {fmt.duration(facts.profile.step_ms.median)} step ({fmt.share(share)}), while "
            "the rest of the model computes in half precision: leave out the conversion, or use "
            "scaled_dot_product_attention."
        )
        evidence: dict[str, float | int | str] = {
            "attention_ms": ms,
            "share": share,
            "half_ratio": ratio,
        }
        findings.append(
            finding_at(facts, NAME, line, Severity.INFORMATION, message, evidence, gain)
        )
    return tuple(findings)


def _near(one: LineKey, other: LineKey) -> bool:
    return one[0] == other[0] and abs(one[1] - other[1]) <= _LINES_APART


RULE = Rule(
    name=NAME,
    title="Attention in float32 inside a half-precision model",
    evaluate=evaluate,
    advice="Use F.scaled_dot_product_attention, which keeps its sums in float32 by itself",
)
