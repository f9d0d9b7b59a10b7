"""optimizer-foreach: ``foreach=True`` where the optimizer is made."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.keywords import calls_on, set_keyword
from stepscope.fixes.model import Fix

RULE = "optimizer-foreach"

_CLASSES = (
    "ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop",
    "SGD", "Adafactor",
)  # fmt: skip


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The keyword in the call on ``line``; advice where that call is elsewhere."""
    calls = calls_on(source, line, _CLASSES)
    if len(calls) != 1:
        return Fix("Set foreach=True where this optimizer is made", ())
    title = "Update all parameters at once (foreach=True)"
    return set_keyword(finding.file, source, calls[0], "foreach", "True", title)
