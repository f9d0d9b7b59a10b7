"""What functions, classes and loops cost: the sums of the lines that are written in them.

Every line counts once in each block around it: a class is its methods, a loop its header and its
body, a function all that is written in it, functions inside included. What a called function costs
stands on that function's own lines, so a caller's total does not hold it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, Profile
from stepscope.editor.staleness import LineMap
from stepscope.report import display

LOOP = "this loop"

_LONGEST_NAME = 40

Block = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True, slots=True)
class Total:
    """One block of the measured text. Times are ms per step; lines 1-based and inclusive.

    ``first`` is where it begins (its decorators too), ``header`` the line of its ``def``.
    ``forward_ms`` and ``backward_ms`` are operator or device time as in ``LineCost``.
    """

    name: str
    first: int
    header: int
    last: int
    cost_ms: float
    forward_ms: float
    backward_ms: float


def totals(tree: ast.Module, costs: Mapping[int, LineCost]) -> list[Total]:
    """The total of every block of ``tree`` that holds a line with a cost, in the file's order."""
    found = []
    for node in _blocks(tree):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        last = node.end_lineno or node.lineno
        inside = [cost for line, cost in costs.items() if first <= line <= last]
        if inside:
            found.append(
                Total(
                    name=getattr(node, "name", LOOP),
                    first=first,
                    header=node.lineno,
                    last=last,
                    cost_ms=sum(cost.cost_ms for cost in inside),
                    forward_ms=sum(cost.forward_ms for cost in inside),
                    backward_ms=sum(cost.backward_ms for cost in inside),
                )
            )
    return found


def title(profile: Profile, total: Total, *, stale: bool) -> str | None:
    """``Block · 23 % · 6.10 ms forward, 9.20 ms backward``; None for what is not worth a lens.

    A block that computes nothing itself has its time alone.
    """
    share = display.step_share(profile, total.cost_ms)
    if share < display.SHOWN_SHARE:
        return None
    name = total.name
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 1]}…"
    if total.backward_ms > 0:
        times = (
            f"{fmt.duration(total.forward_ms)} forward, {fmt.duration(total.backward_ms)} backward"
        )
    else:
        times = fmt.duration(total.cost_ms)
    parts = [name, fmt.share(share), times]
    if stale:
        at = display.measured_at(profile)
        parts.append(f"{at}, before edit" if at else "before edit")
    return " · ".join(parts)


def step_title(profile: Profile, *, stale: bool) -> str | None:
    """What the whole step takes, and what of it is on no line; None where nothing was timed."""
    if not profile.timed:
        return None
    on = "" if display.has_accelerator(profile) else " on the CPU"
    parts = [f"Step {fmt.duration(profile.step_ms.median)}{on}"]
    parts += [text for text in (display.describe_unattributed(profile),) if text]
    at = display.measured_at(profile)
    if at:
        parts.append(f"measured {at}")
    if stale:
        parts.append("edited since")
    return " · ".join(parts)


def was_edited(line_map: LineMap, total: Total) -> bool:
    """Whether any line of the block was changed or removed, or one added, since it was measured."""
    return line_map.unchanged(total.first, total.last) is None


def _blocks(tree: ast.Module) -> Iterator[Block]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, Block)]
    return iter(sorted(nodes, key=lambda node: (node.lineno, -(node.end_lineno or 0))))
