"""log-every-step: write the log now and then."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name, header
from stepscope.diagnosis.spelled import LOGGING
from stepscope.fixes.model import Fix
from stepscope.fixes.now_and_then import EVERY, is_occasional, now_and_then

RULE = "log-every-step"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The statement under a condition if its loop counts its passes; elsewhere advice."""
    places = source.places_at(line)
    for place in places:
        made = now_and_then(finding.file, source, place)
        if made is not None:
            return made
    names = {
        dotted_name(call.func).rpartition(".")[2]
        for place in places
        if not is_occasional(place)
        for part in header(place.statement)
        for call in calls(part)
    }
    return Fix(f"Log every {EVERY} steps", ()) if names & LOGGING else None
