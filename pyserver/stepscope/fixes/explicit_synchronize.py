"""explicit-synchronize: leave the call out, unless it is there for a clock."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name
from stepscope.fixes.edits import call_statement, remove_statement
from stepscope.fixes.model import Fix

RULE = "explicit-synchronize"

_CLOCKS = frozenset(("time", "perf_counter", "monotonic", "time_ns", "perf_counter_ns"))


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``torch.cuda.synchronize()`` alone on its line is removed; elsewhere advice."""
    for place in source.places_at(line):
        name = call_statement(place)
        if name.endswith(".synchronize"):
            around = place.block[max(0, place.index - 1) : place.index + 2]
            edit = remove_statement(finding.file, source, place)
            if edit is not None and not any(_reads_clock(other) for other in around):
                return Fix(f"Remove {name}()", (edit,))
    names = {
        dotted_name(call.func).rpartition(".")[2]
        for place in source.places_at(line)
        for call in calls(place.statement)
    }
    if "synchronize" not in names:
        return None
    return Fix("Leave the synchronisation out, or time with events", ())


def _reads_clock(statement: ast.stmt) -> bool:
    return any(dotted_name(c.func).rpartition(".")[2] in _CLOCKS for c in calls(statement))
