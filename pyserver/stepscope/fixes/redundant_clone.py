"""redundant-clone: use the tensor itself."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.diagnosis.spelled import needless_clone
from stepscope.fixes.edits import positions_are_true, replace
from stepscope.fixes.model import Fix

RULE = "redundant-clone"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``y = x.clone()`` becomes ``y = x`` where neither is changed in place."""
    place = source.place_at(line)
    call = None if place is None else needless_clone(place)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    start, end = source.end(call.func.value), source.end(call)
    if start[0] != end[0] or not positions_are_true(source, call):
        return Fix("Use the tensor itself", ())
    return Fix("Use the tensor itself", (replace(finding.file, start, end, ""),))
