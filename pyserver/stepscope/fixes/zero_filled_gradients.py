"""zero-filled-gradients: let go of the gradients, which is what ``zero_grad()`` does by itself."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.edits import replace
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import calls_at, keyword_of, remove_keyword

RULE = "zero-filled-gradients"
_TITLE = "Let go of the gradients instead of filling them with zeros"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The call without ``set_to_none=False``; words where something reads gradients unasked."""
    for _, call in calls_at(source, line, "zero_grad"):
        keyword = keyword_of(call, "set_to_none")
        value = keyword.value if keyword else (call.args[0] if len(call.args) == 1 else None)
        if value is None:
            continue
        if not isinstance(value, ast.Constant):
            return Fix(f"{_TITLE}: here {source.segment(value)} decides", ())
        if value.value is not False:
            return None
        if keyword is not None:
            return Fix(_TITLE, remove_keyword(finding.file, source, call, keyword))
        return Fix(_TITLE, (replace(finding.file, source.start(value), source.end(value), ""),))
    return None
