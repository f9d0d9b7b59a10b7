"""blocking-copy: let the host go on while the device copies."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, header
from stepscope.fixes.edits import add_argument, insert, positions_are_true
from stepscope.fixes.model import Fix, TextEdit

RULE = "blocking-copy"

_KEYWORD = "non_blocking"
_METHODS = ("to", "cuda", "copy_")


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``non_blocking=True`` in every copy of the statement on ``line``; None where it is there."""
    place = source.place_at(line)
    if place is None:
        return None
    edits: list[TextEdit] = []
    copies = [
        call
        for part in header(place.statement)
        for call in calls(part)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
    ]
    if not copies:
        return None
    for call in copies:
        named = {keyword.arg for keyword in call.keywords}
        if _KEYWORD in named:
            continue
        if None in named or any(isinstance(argument, ast.Starred) for argument in call.args):
            return Fix(f"Set {_KEYWORD}=True in the arguments that are unpacked here", ())
        if not positions_are_true(source, call):
            return Fix(f"Set {_KEYWORD}=True in this copy", ())
        if len(call.args) > 1:  # non_blocking itself may be given by position
            return Fix(f"Set {_KEYWORD}=True in this copy", ())
        if call.args or call.keywords:
            edits += add_argument(finding.file, source, call, f"{_KEYWORD}=True")
        else:
            end_line, end_column = source.end(call)
            edits.append(insert(finding.file, (end_line, end_column - 1), f"{_KEYWORD}=True"))
    return Fix("Copy without waiting (non_blocking=True)", tuple(edits)) if edits else None
