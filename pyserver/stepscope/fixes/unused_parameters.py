"""unused-parameters: ``find_unused_parameters=False`` where DDP wraps the model."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.keywords import calls_on, set_keyword
from stepscope.fixes.model import Fix

RULE = "unused-parameters"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The keyword in the call on ``line``; None where it is not asked for any more."""
    calls = calls_on(source, line, ("DistributedDataParallel", "DDP"))
    title = "Do not look for unused parameters (find_unused_parameters=False)"
    if len(calls) != 1:
        return Fix("Set find_unused_parameters=False where the model is wrapped", ())
    if not any(k.arg in ("find_unused_parameters", None) for k in calls[0].keywords):
        return None
    return set_keyword(finding.file, source, calls[0], "find_unused_parameters", "False", title)
