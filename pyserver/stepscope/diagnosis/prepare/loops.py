"""Loops of the source whose lines ran in the step -> ``Loops``."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.inputs import parse_inputs
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts.loops import LoopFacts, Loops
from stepscope.diagnosis.op_times import OpTimes, op_times
from stepscope.timeline.model import NOWHERE

SMALL_SIDE = 64
"""Products with no longer side keep no core busy: one is launched and done before the next."""
_FEWEST_PASSES = 8
_CELLS = ("aten::gru_cell", "aten::lstm_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell")
_PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")
_SELECTIONS = ("aten::select", "aten::slice", "aten::index", "aten::index_put_")

Loop = ast.For | ast.While


@dataclass(slots=True)
class _Line:
    cells: float = 0.0
    products: float = 0.0
    products_ms: float = 0.0
    selections: float = 0.0
    small: float | None = field(default=None)


def prepare(attributed: Attributed) -> Loops | None:
    """None where no operators were recorded."""
    times = op_times(attributed)
    if times is None:
        return None
    lines = _lines(times)
    _add_shapes(attributed, lines)
    costs = {line.key: line for line in attributed.profile.lines}
    found = []
    for file, text in attributed.profile.sources.items():
        parsed = source.parse(text)
        if parsed is None:
            continue
        for loop in _loops(parsed.tree):
            first = loop.body[0].lineno
            passes = max(
                (costs[(file, n)].calls for n in _first_lines(loop) if (file, n) in costs),
                default=0.0,
            )
            if passes < _FEWEST_PASSES:
                continue
            inside = range(first, (loop.end_lineno or first) + 1)
            parts = [lines[(file, n)] for n in inside if (file, n) in lines]
            here = [n for n in (*range(loop.lineno, first), *inside) if (file, n) in costs]
            small = [part.small for part in parts if part.small is not None]
            found.append(
                LoopFacts(
                    line=(file, loop.lineno),
                    passes=passes,
                    cost_ms=sum(costs[(file, n)].cost_ms for n in here),
                    cells=sum(part.cells for part in parts),
                    products=sum(part.products for part in parts),
                    small_products=sum(small) if small else None,
                    products_ms=sum(part.products_ms for part in parts),
                    indexes=sum(part.selections for part in parts),
                    by_variable=_indexes_by_variable(loop),
                    carries=_carries(loop),
                )
            )
    return Loops(tuple(found), SMALL_SIDE)


def _loops(tree: ast.Module) -> Iterator[Loop]:
    """Every loop, outer ones first."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While)):
            yield node


def _first_lines(loop: Loop) -> list[int]:
    """Lines of which one runs once per pass: those of the body's first statements."""
    return [statement.lineno for statement in loop.body[:2]]


def _indexes_by_variable(loop: Loop) -> bool:
    if not isinstance(loop, ast.For):
        return False
    names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    return any(
        isinstance(part, ast.Name) and part.id in names
        for statement in loop.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Subscript)
        for part in ast.walk(node.slice)
    )


def _carries(loop: Loop) -> bool:
    """Whether a pass reads what the pass before assigned to a name (sums in place aside)."""
    assigned_anywhere = {
        name
        for statement in loop.body
        for node in ast.walk(statement)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for name in _stored(node)
    }
    assigned_before: set[str] = set()
    for statement in loop.body:
        read = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        if read & (assigned_anywhere - assigned_before):
            return True
        assigned_before |= _stored(statement)
    return False


def _stored(node: ast.AST) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _lines(times: OpTimes) -> dict[LineKey, _Line]:
    found: dict[LineKey, _Line] = defaultdict(_Line)
    for i in times.forward:
        line = times.line[i]
        if line is None:
            continue
        name = times.name[i]
        if name in _CELLS:
            found[line].cells += 1 / times.steps
        elif name in _PRODUCTS:
            found[line].products += 1 / times.steps
            found[line].products_ms += times.both(i)
        elif name in _SELECTIONS and not times.name[times.parent[i]]:
            found[line].selections += 1 / times.steps
    return dict(found)


def _add_shapes(attributed: Attributed, lines: dict[LineKey, _Line]) -> None:
    """How many products are small, from the recording with shapes."""
    detail = attributed.detail
    if detail is None or detail.recording.ops is None:
        return
    ops, owned, timeline = detail.recording.ops, detail.owned, attributed.ledgers.timeline
    steps = max(1, detail.recording.steps)
    begin, end = detail.recording.bounds[0], detail.recording.bounds[-1]
    for i in owned.order:
        if owned.backward[i] or not begin <= ops.start[i] < end or owned.owner[i] == NOWHERE:
            continue
        if timeline.strings[ops.name[i]] not in _PRODUCTS or ops.inputs[i] < 0:
            continue
        place = timeline.places[owned.owner[i]]
        line = lines.get((place.file, place.line))
        if line is None:
            continue
        inputs = parse_inputs(timeline.strings[ops.inputs[i]])
        sides = [side for shape, _ in inputs.tensors() for side in shape[-2:]]
        small = bool(sides) and max(sides) <= SMALL_SIDE
        line.small = (line.small or 0.0) + (1 / steps if small else 0.0)
