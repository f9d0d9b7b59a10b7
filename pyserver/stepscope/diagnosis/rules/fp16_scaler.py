"""fp16-scaler: float16 with a gradient scaler on a GPU that computes in bfloat16 as fast.

bfloat16 has float32's range, so no gradient vanishes and nothing is to be scaled: the scaler's pass
over all gradients and its wait for the device in every step are saved.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.precision import Precision
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    share_of_step,
    silent,
)
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import called, executed, finding_at

NAME = "fp16-scaler"
_UNSCALE = "aten::_amp_foreach_non_finite_check_and_unscale_"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``share`` of the step that the scaler costs; ``warning``: where it is more than a step's
    usual spread.
    """

    share: float = NEGLIGIBLE_SHARE
    warning: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, on the statement that enters autocast, else on that of the scaler."""
    precision = facts.measured(Precision)
    if precision is None or precision.tensor_cores is None:
        return abstain(NAME, "what the device computes in is not known")
    if not precision.tensor_cores or not precision.scalers:
        return silent(NAME, "no scaler is in use, or the GPU has no bfloat16")
    if not any(work.matmul and "float16" in work.dtypes for work in precision.work):
        return silent(NAME, "no product runs in float16")
    statements = [(key, names_in(place)) for key, place in executed(facts)]
    scaler_lines = [key for key, names in statements if "unscale_" in names or "scaler" in names]
    autocasts = [key for key, names in statements if "autocast" in names]
    key = next(iter(autocasts or scaler_lines), None)
    if key is None:
        return abstain(NAME, "neither autocast nor the scaler is in the source that ran")
    waits = {cost.key: cost.wait_ms.sync for cost in facts.profile.lines}
    wait = sum(waits.get(line) or 0.0 for line in scaler_lines)
    unscale = sum(work.ms for work in precision.work if work.operator == _UNSCALE)
    cost = min(facts.profile.step_ms.median, wait + unscale)
    share = share_of_step(facts, cost)
    if share < THRESHOLDS.share:
        return silent(NAME, f"the scaler costs {share:.3f} of the step")
    message = (
        f"The gradient scaler of float16 costs {fmt.duration(cost)} of the "
        f"{fmt.duration(facts.profile.step_ms.median)} step ({fmt.share(share)}): a pass over the "
        "gradients and a wait for the GPU. This GPU computes in bfloat16 as fast, which needs no "
        "scaler: use dtype=torch.bfloat16."
    )
    evidence: dict[str, float | int | str] = {
        "scaler_ms": cost,
        "wait_ms": wait,
        "unscale_ms": unscale,
        "share": share,
    }
    severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
    # What is not waited for here may be waited for elsewhere.
    return (finding_at(facts, NAME, key, severity, message, evidence, (0.0, cost)),)


def names_in(place: source.Place) -> frozenset[str]:
    """Names of calls in a statement's header; "scaler" for ``scaler.step`` and the like."""
    found = set()
    for part in source.header(place.statement):
        for call in source.calls(part):
            found.add(called(call))
            owner = source.dotted_name(call.func).rpartition(".")[0]
            if "scaler" in owner.rpartition(".")[2].lower():
                found.add("scaler")
    return frozenset(found)


RULE = Rule(name=NAME, title="A gradient scaler that bfloat16 does not need", evaluate=evaluate)
