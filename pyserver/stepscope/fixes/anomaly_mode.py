"""anomaly-mode: take the switch away, or turn it to False."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.edits import replace
from stepscope.fixes.keywords import calls_on
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import removed

RULE = "anomaly-mode"

_TITLE = "Switch anomaly mode off"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``set_detect_anomaly(True)`` alone on its line goes; elsewhere its argument changes."""
    calls = calls_on(source, line, ("set_detect_anomaly", "detect_anomaly"))
    if not calls:
        return None
    if len(calls) > 1:
        return Fix(_TITLE, ())
    call = calls[0]
    place = source.place_at(call.lineno)
    given = call.args[0] if call.args else None
    if given is None:
        given = next((k.value for k in call.keywords if k.arg == "mode"), None)
    if isinstance(given, ast.Constant) and given.value is False:
        return None
    on = given is None or (isinstance(given, ast.Constant) and given.value is True)
    if on and place is not None and _is_all_of(call, place.statement):
        edits = removed(finding.file, source, place)
        if edits is not None:
            return Fix(_TITLE, edits)
    if isinstance(given, ast.Constant) and given.value is True:
        edit = replace(finding.file, source.start(given), source.end(given), "False")
        return Fix(_TITLE, (edit,))
    return Fix(f"{_TITLE}: take the mode away here", ())


def _is_all_of(call: ast.Call, statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and statement.value is call
