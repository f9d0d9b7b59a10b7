"""gloo-on-gpu: ``"nccl"`` where the process group is made."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.edits import replace
from stepscope.fixes.keywords import calls_on
from stepscope.fixes.model import Fix

RULE = "gloo-on-gpu"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The backend's name in the call on ``line``; None where it says nccl already."""
    calls = calls_on(source, line, ("init_process_group",))
    if len(calls) != 1:
        return Fix('Make the process group with the backend "nccl"', ())
    call = calls[0]
    given = next((k.value for k in call.keywords if k.arg == "backend"), None)
    if given is None and call.args and not isinstance(call.args[0], ast.Starred):
        given = call.args[0]
    if not isinstance(given, ast.Constant) or given.value not in ("gloo", "nccl"):
        return Fix('Give init_process_group the backend "nccl"', ())
    if given.value == "nccl":
        return None
    quote = source.segment(given)[-1]
    edit = replace(finding.file, source.start(given), source.end(given), f"{quote}nccl{quote}")
    return Fix("Exchange gradients through nccl", (edit,))
