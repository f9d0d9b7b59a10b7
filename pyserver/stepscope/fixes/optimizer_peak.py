"""optimizer-peak: the fused optimizer, which has no temporary tensors."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.edits import unpacks
from stepscope.fixes.model import Fix, TextEdit
from stepscope.fixes.rewriting import calls_at, keyword_of, remove_keyword, set_keyword

RULE = "optimizer-peak"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``fused=True`` in the constructor's call, and no ``foreach``, which excludes it."""
    name = finding.evidence.get("optimizer")
    title = "Use the fused optimizer (fused=True)"
    found = calls_at(source, line, str(name))
    if len(found) != 1:
        return Fix(f"{title} where it is made", ()) if source.places_at(line) else None
    _, call = found[0]
    fused, foreach = keyword_of(call, "fused"), keyword_of(call, "foreach")
    if fused is not None and source.segment(fused.value) == "True":
        return None
    if unpacks(call) or (fused is not None and not isinstance(fused.value, ast.Constant)):
        return Fix(f"{title} in the arguments that come from elsewhere", ())
    if foreach is None:
        return Fix(title, set_keyword(finding.file, source, call, "fused", "True"))
    if fused is None:  # one takes the other's place
        start = source.start(foreach)
        value = source.end(foreach)
        edit = TextEdit(finding.file, *start, *value, "fused=True")
        return Fix(title, (edit,))
    edits = (
        *set_keyword(finding.file, source, call, "fused", "True"),
        *remove_keyword(finding.file, source, call, foreach),
    )
    return Fix(title, edits)
