"""persistent-workers: keep the workers from one epoch to the next."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.loader_calls import set_in_loader
from stepscope.fixes.model import Fix

RULE = "persistent-workers"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``persistent_workers=True`` in the call on ``line``."""
    title = "Keep the workers between epochs (persistent_workers=True)"
    return set_in_loader(finding.file, source, line, "persistent_workers", "True", title)
