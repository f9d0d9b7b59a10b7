"""retain-graph: take ``retain_graph=True`` out of the call."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.model import Fix, TextEdit
from stepscope.fixes.rewriting import calls_at, keyword_of, remove_keyword

RULE = "retain-graph"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The calls of the line without the argument; None where it is gone."""
    edits: list[TextEdit] = []
    seen: set[int] = set()
    for _, call in calls_at(source, line, "backward"):
        keyword = keyword_of(call, "retain_graph")
        if keyword is not None and id(call) not in seen:
            seen.add(id(call))
            edits += remove_keyword(finding.file, source, call, keyword)
    return Fix("Let the graph go after the backward pass", tuple(edits)) if edits else None
