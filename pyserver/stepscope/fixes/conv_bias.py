"""conv-bias: ``bias=False`` in the convolution before a batch norm."""

from __future__ import annotations

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.places import CONVOLUTIONS, makes_bias
from stepscope.diagnosis.source import Source
from stepscope.fixes.keywords import calls_on, set_keyword
from stepscope.fixes.model import Fix

RULE = "conv-bias"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The keyword in the call that begins on ``line``; advice where several do."""
    calls = [call for call in calls_on(source, line, CONVOLUTIONS) if makes_bias(call)]
    if not calls:
        return None
    if len(calls) > 1:
        return Fix("Set bias=False in the convolution before the batch norm", ())
    title = "Leave out the bias (bias=False)"
    return set_keyword(finding.file, source, calls[0], "bias", "False", title)
