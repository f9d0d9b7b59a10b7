"""pin-in-loop: copy without pinning first."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, header
from stepscope.fixes.edits import positions_are_true, replace
from stepscope.fixes.model import Fix

RULE = "pin-in-loop"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``x.pin_memory().to(device)`` becomes ``x.to(device)``; elsewhere advice."""
    place = source.place_at(line)
    if place is None:
        return None
    found = [
        call
        for part in header(place.statement)
        for call in calls(part)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "pin_memory"
    ]
    if not found:
        return None
    copied = {
        id(call.func.value)
        for part in header(place.statement)
        for call in calls(part)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda")
    }
    edits = []
    for call in found:
        assert isinstance(call.func, ast.Attribute)
        plain = not call.args and not call.keywords and positions_are_true(source, call)
        if id(call) not in copied or not plain or _commented(source, call):
            return Fix("Let the DataLoader pin (pin_memory=True), or pin once before the loop", ())
        edits.append(replace(finding.file, source.end(call.func.value), source.end(call), ""))
    return Fix("Copy without pinning first", tuple(edits))


def _commented(source: Source, call: ast.Call) -> bool:
    """Whether removing the call would take a comment or a bracket along."""
    assert isinstance(call.func, ast.Attribute)
    (first, left), (last, right) = source.end(call.func.value), source.end(call)
    lines = [source.lines[number - 1] for number in range(first, last + 1)]
    lines[-1] = lines[-1][:right]
    lines[0] = lines[0][left:]
    return "".join("".join(lines).split()) != ".pin_memory()"
