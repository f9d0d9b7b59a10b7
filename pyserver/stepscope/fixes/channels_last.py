"""channels-last: the model's weights into that order where it is made."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, dotted_name
from stepscope.fixes.edits import insert, unpacks
from stepscope.fixes.keywords import set_keyword
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import module_name

RULE = "channels-last"

_TITLE = "Keep the model's weights channels last"
_ADVICE = "Move the model with .to(memory_format=torch.channels_last)"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``model = Net().to(device)`` gets the keyword in its ``.to``, or one ``.to`` more."""
    place, name = source.place_at(line), module_name(source, "torch")
    if place is None:
        return None
    statement = place.statement
    if "channels_last" in source.segment(statement):
        return None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return Fix(_ADVICE, ())
    if name is None:
        return Fix(_ADVICE, ())
    call = statement.value
    value = f"{name}.channels_last"
    if dotted_name(call.func).endswith(".to") and (call.args or call.keywords):
        if unpacks(call) or any(k.arg == "memory_format" for k in call.keywords):
            return Fix(_ADVICE, ())
        return set_keyword(finding.file, source, call, "memory_format", value, _TITLE)
    called = dotted_name(call.func).rpartition(".")[2]
    if called == "compile" or not (called[:1].isupper() or called in ("cuda", "half", "bfloat16")):
        return Fix(_ADVICE, ())
    edit = insert(finding.file, source.end(call), f".to(memory_format={value})")
    return Fix(_TITLE, (edit,))
