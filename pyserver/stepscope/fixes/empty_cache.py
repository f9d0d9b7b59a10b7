"""empty-cache: keep the memory that the allocator has."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.edits import removed_call
from stepscope.fixes.model import Fix

RULE = "empty-cache"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The call alone on its line is removed; elsewhere advice."""
    return removed_call(
        finding, source, line, ".empty_cache", "Leave empty_cache() out of the step"
    )
