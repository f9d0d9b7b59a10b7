"""gc-pauses: ``gc.freeze()`` before the loop."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, dotted_name
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import alias_of, before, importing, module_name, outermost_loop

RULE = "gc-pauses"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The call right before the outermost loop around ``line``; None if it is there already."""
    name = module_name(source, "gc")
    if _freezes(source, {"gc.freeze", f"{name}.freeze", alias_of(source, "gc", "freeze")}):
        return None
    title = "Leave what is there already out of garbage collection (gc.freeze())"
    loop = outermost_loop(source, line)
    if loop is None:
        return Fix("Call gc.freeze() once, right before the training loop", ())
    edits = before(finding.file, source, loop, f"{name or 'gc'}.freeze()")
    if not edits:
        return Fix("Call gc.freeze() once, right before the training loop", ())
    if name is None:
        edits = (*importing(finding.file, source, "gc"), *edits)
    return Fix(title, edits)


def _freezes(source: Source, names: set[str | None]) -> bool:
    return any(
        isinstance(node, ast.Call) and dotted_name(node.func) in names
        for node in ast.walk(source.tree)
    )
