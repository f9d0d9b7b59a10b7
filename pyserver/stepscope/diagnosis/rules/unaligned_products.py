"""unaligned-products: half-precision products whose sides are no multiple of 8.

Matrix units read rows of 16 bytes. A product with another side is padded, or runs on the slower
path. Only where the line is bound by computing, and only as far as it stays behind the peak.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.precision import HALVES, Precision, TypedWork
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "unaligned-products"
MULTIPLE = 8
"""Elements of half precision in the 16 bytes that a matrix unit reads at once."""
_PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``share`` of the step in such products of one line; ``headroom`` is what they take beyond
    the device's peak, as a share of their own time: a product at 70 % of the peak is not held up
    by its sides.
    """

    share: float = 0.05
    headroom: float = 0.30


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line whose products have such a side."""
    precision = facts.measured(Precision)
    if precision is None:
        return abstain(NAME, "dtypes and shapes were not measured")
    if facts.machine.device == "cpu":
        return silent(NAME, "a processor has no such units that we know of")
    by_line: dict[LineKey, list[TypedWork]] = defaultdict(list)
    for work in precision.work:
        if work.operator in _PRODUCTS and any(dtype in HALVES for dtype in work.dtypes):
            by_line[work.line].append(work)
    findings: list[Finding] = []
    for line, products in sorted(by_line.items()):
        findings += _examine(facts, line, products)
    return tuple(findings)


def _examine(facts: Facts, line: LineKey, products: list[TypedWork]) -> tuple[Finding, ...]:
    odd = sorted({side for work in products for side in odd_sides(work)})
    if not odd:
        return silent(NAME, f"the sides on line {line[1]} are multiples of {MULTIPLE}")
    bound = [work for work in products if work.regime == "compute"]
    if any(work.headroom_ms is None for work in bound):
        return abstain(NAME, "the device's peak is not known")
    ms = sum(work.ms for work in bound)
    headroom = min(ms, sum(work.headroom_ms or 0.0 for work in bound))
    if share_of_step(facts, ms) < THRESHOLDS.share or negligible(facts, headroom):
        return silent(NAME, f"{ms:.3f} ms in products bound by computing on line {line[1]}")
    if headroom < THRESHOLDS.headroom * ms:
        return silent(NAME, f"the products on line {line[1]} come near the peak")
    sides = ", ".join(str(side) for side in odd[:3])
    rounded = ", ".join(str(-(-side // MULTIPLE) * MULTIPLE) for side in odd[:3])
    message = (
        f"The half-precision products of this line take {fmt.duration(ms)} of the "
        f"{fmt.duration(facts.profile.step_ms.median)} step and have sides that are no multiple of "
        f"{MULTIPLE} ({sides}), which the GPU's matrix units handle slower: make them {rounded}."
    )
    evidence: dict[str, float | int | str] = {
        "product_ms": ms,
        "share": share_of_step(facts, ms),
        "headroom_ms": headroom,
        "sides": sides,
        "rounded": rounded,
    }
    # Nothing at worst: how much of the way to the peak the sides cost is not known beforehand.
    gain = (0.0, headroom)
    return (finding_at(facts, NAME, line, Severity.INFORMATION, message, evidence, gain),)


def odd_sides(work: TypedWork) -> list[int]:
    """Inner and last sides of a product's two matrices that are no multiple; 1 is no matrix."""
    sides = [side for shape in work.shapes[-2:] if len(shape) >= 2 for side in shape[-1:]]
    return [side for side in sides if side % MULTIPLE and side > 1]


RULE = Rule(
    name=NAME,
    title="Half-precision products with odd sides",
    evaluate=evaluate,
    advice="Pad these sides (vocabulary, hidden size) to multiples of 8, or of 64 for the largest",
)
