"""optimizer-fused: ``fused=True`` where the optimizer is made."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.edits import replace
from stepscope.fixes.keywords import calls_on, set_keyword
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import keyword_of, remove_keyword

RULE = "optimizer-fused"

_CLASSES = ("Adam", "AdamW", "Adagrad")
_TITLE = "Use the fused optimizer (fused=True)"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The keyword in the call on ``line``, in the place of ``foreach``, which it excludes."""
    calls = calls_on(source, line, _CLASSES)
    if len(calls) != 1:
        return Fix("Set fused=True where this optimizer is made", ())
    call = calls[0]
    foreach = keyword_of(call, "foreach")
    if foreach is not None and keyword_of(call, "fused") is None:
        edit = replace(finding.file, source.start(foreach), source.end(foreach), "fused=True")
        return Fix(_TITLE, (edit,))
    made = set_keyword(finding.file, source, call, "fused", "True", _TITLE)
    if made is not None and made.edits and foreach is not None:
        gone = remove_keyword(finding.file, source, call, foreach)
        return Fix(_TITLE, (*made.edits, *gone))
    return made
