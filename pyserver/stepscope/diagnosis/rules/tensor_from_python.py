"""tensor-from-python: a tensor is built from Python numbers in every step, one after the other."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineCost
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.calls import Calls
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, measured, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import calls_on, lines_of_step

NAME = "tensor-from-python"
_MADE = "aten::lift_fresh"  # by torch.tensor and its like, from something that is no tensor
_FUNCTIONS = frozenset({"torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.LongTensor"})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step, in Python and in torch's reading of the list. ``numbers``: in the
    tensor; reading 100 takes some 10 us, so with fewer it is not the list that takes the time.
    """

    share: float = 0.05
    numbers: int = 100


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that turns lists into tensors."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    costs = {line.key: line for line in lines_of_step(facts)}
    findings: list[Finding] = []
    for key, on_line in calls.by_line():
        made = [call for call in on_line if call.name == _MADE]
        if made and not made[0].shapes:
            abstain(NAME, f"the size of the tensor on line {key[1]} was not recorded")
            continue
        if (
            not made
            or _numbers(made[0].shapes) < THRESHOLDS.numbers
            or key not in costs
            or not _from_python(facts, costs[key])
        ):
            continue
        # Operators on the same line are not what this is about.
        rest = sum(call.host_ms for call in on_line if call not in made)
        spent = max(0.0, costs[key].host_ms - rest)
        share = share_of_step(facts, spent)
        if share < THRESHOLDS.share:
            silent(NAME, f"takes {share:.3f} of the step on line {key[1]}")
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                key,
                f"Building a tensor from Python numbers takes {fmt.duration(spent)} of "
                f"{fmt.duration(step)} ({fmt.share(share)}) here, one number at a time. Keep the "
                "values in a tensor or a NumPy array (torch.from_numpy), or make it before the "
                "loop.",
                {"spent_ms": spent, "share": share, "tensors": made[0].per_step},
                (0.0, spent),
                "At most the line's time outside operators.",
            )
        )
    return tuple(findings)


def _numbers(shape: str) -> int:
    """How many numbers a tensor of the shape has, written as in "32x64" or "scalar"."""
    sides = shape.split(",")[0].split("x")
    return math.prod(int(side) for side in sides if side.strip().isdigit())


def _from_python(facts: Facts, line: LineCost) -> bool:
    """Whether the line spells it, with something other than a single number."""
    return any(
        source.dotted_name(call.func) in _FUNCTIONS
        and bool(call.args)
        and not isinstance(call.args[0], ast.Constant)
        for call in calls_on(facts, line.key)
    )


RULE = Rule(
    name=NAME,
    title="A tensor is built from Python numbers in every step",
    evaluate=evaluate,
    advice="Keep the values in a tensor or a NumPy array, or make the tensor before the loop",
    eases=Eases.HOST,
)
