"""short-prefetch: have each worker prepare more batches ahead."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.loader_calls import given_argument, loader_calls, set_in_loader
from stepscope.fixes.model import Fix

RULE = "short-prefetch"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``prefetch_factor=N`` in the call on ``line``."""
    wanted = finding.evidence.get("wanted")
    if not isinstance(wanted, (int, float)) or wanted < 1:
        return None
    count = int(wanted)
    for call in loader_calls(source, line):
        given = given_argument(call, "prefetch_factor")
        if isinstance(given, ast.Constant) and type(given.value) is int and given.value >= count:
            return None
    title = f"Prepare {count} batches ahead in each worker (prefetch_factor={count})"
    return set_in_loader(finding.file, source, line, "prefetch_factor", str(count), title)
