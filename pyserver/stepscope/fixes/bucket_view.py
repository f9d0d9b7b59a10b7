"""bucket-view: ``gradient_as_bucket_view=True`` where DDP wraps the model."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.keywords import calls_on, set_keyword
from stepscope.fixes.model import Fix

RULE = "bucket-view"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The keyword in the call on ``line``."""
    calls = calls_on(source, line, ("DistributedDataParallel", "DDP"))
    title = "Let gradients be views of their buckets (gradient_as_bucket_view=True)"
    if len(calls) != 1:
        return Fix("Set gradient_as_bucket_view=True where the model is wrapped", ())
    return set_keyword(finding.file, source, calls[0], "gradient_as_bucket_view", "True", title)
