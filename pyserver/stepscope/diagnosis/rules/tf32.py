"""tf32: float32 matrix products that the GPU's TF32 units would make faster.

Only products: convolutions use TF32 unless a script forbids it. Gated by what bounds the product's
line (a faster unit does not help memory), and by the device being the bottleneck at all.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.precision import Precision
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at, import_of_torch

NAME = "tf32"
TF32_OF_HALF = 0.5
"""TF32's peak over that of bfloat16: one half on every NVIDIA GPU from Ampere on, says its data
sheet."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``share`` of the step in such products: a third of it goes with the usual ratio of two.

    ``ratio``: TF32 over float32 peak; on the gaming cards where both are equal nothing is gained.
    ``host_bound``: share of the step in which the GPU waits to be given work; from 30 % on faster
    kernels only wait longer.
    """

    share: float = 0.10
    ratio: float = 1.3
    host_bound: float = 0.30


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, on the line that imports torch: the setting is one for all products."""
    precision, machine = facts.measured(Precision), facts.machine
    if precision is None:
        return abstain(NAME, "dtypes were not measured")
    if precision.tensor_cores is None or precision.tf32 is None:
        return abstain(NAME, "the device is no GPU, or what it can do is not known")
    if precision.tf32 or not precision.tensor_cores:
        return silent(NAME, "TF32 is on, or the GPU has none")
    by_line: dict[LineKey, float] = defaultdict(float)
    for work in precision.work:
        product = work.matmul and "conv" not in work.operator and "attention" not in work.operator
        if product and set(work.dtypes) == {"float32"} and work.regime == "compute":
            by_line[work.line] += work.ms
    useful = sum(by_line.values())
    share = share_of_step(facts, useful)
    if share < THRESHOLDS.share:
        return silent(NAME, f"float32 products bound {share:.3f} of the step")
    if not machine.float32_peak or not machine.bfloat16_peak:
        return abstain(NAME, "the device's peaks are not known")
    ratio = TF32_OF_HALF * machine.bfloat16_peak / machine.float32_peak
    if ratio < THRESHOLDS.ratio:
        return silent(NAME, f"TF32 is {ratio:.2f} times as fast as float32 here")
    breakdown = facts.profile.breakdown
    if breakdown.overhead + breakdown.idle >= THRESHOLDS.host_bound:
        return silent(NAME, "the device waits for the host")
    most = max(by_line, key=lambda line: by_line[line])
    # The low gain takes the root of the ratio: small products do not reach the peak.
    gain = (useful * (1 - 1 / math.sqrt(ratio)), useful * (1 - 1 / ratio))
    if negligible(facts, gain[1]):
        return silent(NAME, f"saves {gain[1]:.3f} ms at best")
    message = (
        f"{fmt.duration(useful)} of the {fmt.duration(facts.profile.step_ms.median)} step "
        f"({fmt.share(share)}) go into float32 matrix products, most of them on line {most[1]} of "
        f"{Path(most[0]).name}, and this GPU's TF32 units are not used for them: allow them, or "
        "use torch.autocast for more."
    )
    evidence: dict[str, float | int | str] = {
        "float32_ms": useful,
        "share": share,
        "tf32_ratio": ratio,
        "line": most[1],
    }
    key = import_of_torch(facts) or most
    return (finding_at(facts, NAME, key, Severity.INFORMATION, message, evidence, gain),)


RULE = Rule(name=NAME, title="Float32 matrix products without TF32", evaluate=evaluate)
