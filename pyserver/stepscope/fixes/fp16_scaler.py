"""fp16-scaler: compute in bfloat16, and switch the gradient scaler off."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name
from stepscope.fixes.edits import unpacks
from stepscope.fixes.model import Fix, TextEdit
from stepscope.fixes.rewriting import calls_at, keyword_of, set_keyword, torch_name

RULE = "fp16-scaler"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``dtype=torch.bfloat16`` in autocast and ``enabled=False`` for a scaler of the same file.

    The calls of a scaler that is off pass everything through, so they can stay.
    """
    title = "Compute in bfloat16 and switch the gradient scaler off"
    found = calls_at(source, line, "autocast")
    if len(found) != 1:
        return Fix(f"{title}: dtype=torch.bfloat16 in autocast, no GradScaler", ())
    place, call = found[0]
    torch = torch_name(source, place)
    given = keyword_of(call, "dtype")
    old_call = dotted_name(call.func).endswith(("cuda.amp.autocast", "cpu.amp.autocast"))
    if torch is None or unpacks(call) or len(call.args) > (0 if old_call else 1):
        return Fix(f"{title}: dtype=torch.bfloat16 in autocast, no GradScaler", ())
    if given is not None and dotted_name(given.value).rpartition(".")[2] not in ("float16", "half"):
        return None if dotted_name(given.value).endswith(".bfloat16") else Fix(title, ())
    edits: list[TextEdit] = [*set_keyword(finding.file, source, call, "dtype", f"{torch}.bfloat16")]
    for scaler in _scalers(source):
        enabled = keyword_of(scaler, "enabled")
        if unpacks(scaler) or (enabled and not isinstance(enabled.value, ast.Constant)):
            return Fix(f"{title}: dtype={torch}.bfloat16 here, enabled=False for the scaler", ())
        edits += set_keyword(finding.file, source, scaler, "enabled", "False")
    return Fix(title, tuple(edits))


def _scalers(source: Source) -> list[ast.Call]:
    every = (call for node in source.tree.body for call in _all_calls(node))
    return [c for c in every if dotted_name(c.func).rpartition(".")[2] == "GradScaler"]


def _all_calls(node: ast.AST) -> list[ast.Call]:
    """Calls below ``node``, those in functions and classes included."""
    found = list(calls(node))
    seen = {id(call) for call in found}
    return found + [
        part for part in ast.walk(node) if isinstance(part, ast.Call) and id(part) not in seen
    ]
