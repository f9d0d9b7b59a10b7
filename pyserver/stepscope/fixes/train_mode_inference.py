"""train-mode-inference: ``model.eval()`` before the loop."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name, header
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import before, outermost_loop

RULE = "train-mode-inference"

_ADVICE = "Call .eval() on the model before the loop"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``model.eval()`` right before the outermost loop around ``line``, if that is safe to see."""
    place, loop = source.place_at(line), outermost_loop(source, line)
    if place is None:
        return None
    names = {
        name
        for part in header(place.statement)
        for call in calls(part)
        if (name := dotted_name(call.func)) and _is_model(source, name)
    }
    if len(names) != 1:
        return Fix(_ADVICE, ())
    name = names.pop()
    nodes = ast.walk(source.tree)
    called = {dotted_name(node.func) for node in nodes if isinstance(node, ast.Call)}
    if f"{name}.eval" in called:
        return None
    if loop is None or f"{name}.train" in called or _is_made_in(name, loop.statement):
        return Fix(_ADVICE, ())
    edits = before(finding.file, source, loop, f"{name}.eval()")
    return Fix(f"Call {name}.eval() before the loop" if edits else _ADVICE, edits)


def _is_model(source: Source, name: str) -> bool:
    """Whether the name is assigned an instance: ``net = Net(...)``, moved or compiled perhaps."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and any(dotted_name(t) == name for t in node.targets):
            for call in calls(node.value):
                if dotted_name(call.func).rpartition(".")[2][:1].isupper():
                    return True
    return False


def _is_made_in(name: str, loop: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.Assign) and any(dotted_name(t) == name for t in node.targets)
        for node in ast.walk(loop)
    )
