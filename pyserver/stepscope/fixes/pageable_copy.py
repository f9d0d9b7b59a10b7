"""pageable-copy: let the DataLoader pin the memory of its batches."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.loader_calls import loader_calls, set_in_loader
from stepscope.fixes.model import Fix

RULE = "pageable-copy"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``pin_memory=True`` in the call on ``line``; where no loader is made there, advice."""
    if any(loader_calls(source, line)) or finding.evidence.get("at") == "loader":
        title = "Pin the batches' memory (pin_memory=True)"
        return set_in_loader(finding.file, source, line, "pin_memory", "True", title)
    return Fix("Pin the memory that this copies from, once, before the loop", ())
