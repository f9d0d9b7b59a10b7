"""empty-cache: keep the memory that the allocator has."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name, header
from stepscope.fixes.edits import call_statement, remove_statement
from stepscope.fixes.model import Fix

RULE = "empty-cache"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The call alone on its line is removed; elsewhere advice."""
    places = source.places_at(line)
    for place in places:
        name = call_statement(place)
        if name.endswith(".empty_cache"):
            edit = remove_statement(finding.file, source, place)
            if edit is not None:
                return Fix(f"Remove {name}()", (edit,))
    names = {
        dotted_name(call.func).rpartition(".")[2]
        for place in places
        for part in header(place.statement)
        for call in calls(part)
    }
    return Fix("Leave empty_cache() out of the step", ()) if "empty_cache" in names else None
