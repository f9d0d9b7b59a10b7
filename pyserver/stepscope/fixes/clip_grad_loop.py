"""clip-grad-loop: ``foreach=True`` in ``clip_grad_norm_``."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.keywords import calls_on, set_keyword
from stepscope.fixes.model import Fix

RULE = "clip-grad-loop"

_CALLS = ("clip_grad_norm_", "get_total_norm")


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``foreach=False`` in a call of torch's becomes True; a loop needs thought."""
    calls = calls_on(source, line, _CALLS)
    if len(calls) != 1:
        return Fix("Compute all norms at once with torch.nn.utils.clip_grad_norm_", ())
    given = next((k.value for k in calls[0].keywords if k.arg == "foreach"), None)
    if given is None or (isinstance(given, ast.Constant) and given.value is None):
        # By default it groups what it can: the parameters are of a kind that it cannot.
        return Fix("Give plain tensors on one device to clip_grad_norm_", ())
    title = "Compute all norms at once (foreach=True)"
    return set_keyword(finding.file, source, calls[0], "foreach", "True", title)
