"""autocast: float32 matrix products that bfloat16 would make faster, where they bound the step.

Gated three times, because precision advice on a step that waits for launches or for memory is
noise: by the time really spent in float32 products, less that on lines bound by something else;
by what this very machine gains in bfloat16; and by the device being the bottleneck at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.matmul import MatmulFacts
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, last_line, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule

NAME = "autocast"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When float32 products are worth a word.

    ``share``: of the step. A ratio of two, common on devices that gain at all, leaves 7 % of the
    step to be saved from 15 %. ``ratio``: bfloat16 over float32 peak; below 1.3 the casts that
    autocast adds eat the gain. ``host_bound``: share of the step in which an accelerator waits to
    be given work; from 30 % on faster kernels only wait longer. ``warning``: the part of the step
    that can be saved at best from which on it comes before other advice.
    """

    share: float = 0.15
    ratio: float = 1.3
    host_bound: float = 0.30
    warning: float = 0.20


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding: the statement of the training loop to wrap."""
    matmul, machine = facts.measured(MatmulFacts), facts.machine
    if matmul is None:
        return abstain(NAME, "matrix products were not measured")
    useful = max(0.0, matmul.float32_ms - matmul.memory_bound_ms)
    share = share_of_step(facts, useful)
    if share < THRESHOLDS.share:
        return silent(NAME, f"float32 products bound {share:.3f} of the step")
    if machine.float32_peak is None or machine.bfloat16_peak is None or machine.float32_peak <= 0:
        return abstain(NAME, "the device's peaks are not known")
    ratio = machine.bfloat16_peak / machine.float32_peak
    if ratio < THRESHOLDS.ratio:
        return silent(NAME, f"bfloat16 is {ratio:.2f} times as fast as float32 here")
    if machine.device != "cpu":
        if matmul.tf32 is not False:
            # The peak of float32 says nothing about products that run as TF32.
            return abstain(NAME, "float32 may run as TF32, whose peak is not known")
        breakdown = facts.profile.breakdown
        if breakdown.overhead + breakdown.idle >= THRESHOLDS.host_bound:
            return silent(NAME, "the device waits for the host")
    if matmul.loop_line is None:
        return abstain(NAME, "no statement of the loop runs the products")
    gain = (_saved(useful, math.sqrt(ratio)), _saved(useful, ratio))
    if negligible(facts, gain[1]):
        return silent(NAME, f"saves {gain[1]:.3f} ms at best")
    return (
        Finding(
            rule=NAME,
            file=matmul.loop_line[0],
            line=matmul.loop_line[1],
            end_line=last_line(facts, matmul.loop_line),
            severity=_severity(facts, gain[1]),
            message=_message(facts, useful, ratio),
            evidence={
                "float32_ms": matmul.float32_ms,
                "share": share,
                "memory_bound_ms": matmul.memory_bound_ms,
                "bfloat16_ratio": ratio,
                "peaks": machine.peaks_source,
                "device": machine.device,
            },
            gain_ms=gain,
        ),
    )


def _saved(ms: float, speedup: float) -> float:
    """Amdahl's law: what remains of ``ms`` runs ``speedup`` times as fast.

    The high gain takes the whole ratio of the peaks. The low one takes its square root, half of it
    in the logarithm: products smaller than those that peaks are measured with do not reach them,
    and autocast adds casts of inputs and weights.
    """
    return ms * (1 - 1 / speedup)


def _severity(facts: Facts, high: float) -> Severity:
    large = share_of_step(facts, high) >= THRESHOLDS.warning
    return Severity.WARNING if large else Severity.INFORMATION


def _message(facts: Facts, useful: float, ratio: float) -> str:
    step = facts.profile.step_ms.median
    name = facts.machine.device_name or facts.machine.device
    return (
        f"{fmt.duration(useful)} of the {fmt.duration(step)} step "
        f"({fmt.share(share_of_step(facts, useful))}) go into float32 matrix products and "
        f"convolutions, forward and backward, of what this statement runs. {name} multiplies "
        f"{_half_type(name)} {fmt.ratio(ratio)} as fast; torch.autocast uses that."
    )


def _half_type(device: str) -> str:
    """The type that the peak of half precision is of: cards before Ampere know float16 only."""
    return "float16" if any(card in device for card in ("V100", "T4")) else "bfloat16"


RULE = Rule(name=NAME, title="Float32 matrix products where bfloat16 is faster", evaluate=evaluate)
