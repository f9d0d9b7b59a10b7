"""too-many-workers: as many workers as there are cores for them."""

from __future__ import annotations

import ast

from stepscope import format as fmt
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.loader_calls import given_argument, loader_calls, set_in_loader
from stepscope.fixes.model import Fix

RULE = "too-many-workers"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``num_workers=N`` in the call on ``line``."""
    workers = finding.evidence.get("workers")
    if not isinstance(workers, (int, float)) or workers < 1:
        return None
    count = int(workers)
    for call in loader_calls(source, line):
        given = given_argument(call, "num_workers")
        if isinstance(given, ast.Constant) and type(given.value) is int and given.value <= count:
            return None
    title = f"Load with {fmt.plural(count, 'worker')} (num_workers={count})"
    return set_in_loader(finding.file, source, line, "num_workers", str(count), title)
