"""kept-graph: add or collect the value without the graph that made it."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.rules.kept_graph import appended
from stepscope.diagnosis.source import Place, Source, calls, dotted_name
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import detach

RULE = "kept-graph"
_ENDS = ("detach", "item", "tolist")
_ADVICE = "Keep the value without its graph: .detach(), or .item() every few steps"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``total += loss.detach()``; words where a backward pass may go through the sum."""
    for place in reversed(source.places_at(line)):
        found = _kept(place)
        if found is None:
            continue
        into, value = found
        if _without_graph(value):
            return None
        if _goes_backward(source, into):
            return Fix(_ADVICE, ())
        edits = detach(finding.file, source, value)
        return Fix("Keep the value without its graph (.detach())", edits)
    return Fix(_ADVICE, ()) if source.places_at(line) else None


def _kept(place: Place) -> tuple[ast.expr, ast.expr] | None:
    """(what keeps, what is kept) of a sum or of an append."""
    statement = place.statement
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        return statement.target, statement.value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        value, target = statement.value, statement.targets[0]
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            spelled = ast.unparse(target)
            if ast.unparse(value.left) == spelled:
                return target, value.right
            if ast.unparse(value.right) == spelled:
                return target, value.left
        return None
    collected = appended(statement)
    if collected is None or not isinstance(statement, ast.Expr):
        return None
    call = statement.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    return call.func.value, collected


def _without_graph(value: ast.expr) -> bool:
    return any(dotted_name(c.func).rpartition(".")[2] in _ENDS for c in calls(value))


def _goes_backward(source: Source, into: ast.expr) -> bool:
    """Whether the file asks for gradients of what is kept, or of something made from it."""
    spelled = ast.unparse(into)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            name = dotted_name(node.func).rpartition(".")[2]
            if name in ("backward", "grad") and spelled in ast.unparse(node):
                return True
            if name in ("stack", "cat", "sum") and spelled in ast.unparse(node):
                return True
    return False
