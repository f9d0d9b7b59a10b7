"""cpu-made-tensor: make the tensor on the device."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name, header
from stepscope.diagnosis.spelled import copied_factories
from stepscope.fixes.edits import add_argument, positions_are_true, replace
from stepscope.fixes.model import Fix, TextEdit

RULE = "cpu-made-tensor"

# Another device draws other numbers: whether that matters only the person knows.
_RANDOM = frozenset({"torch.rand", "torch.randn", "torch.randint"})


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``torch.zeros(n).to(device)`` becomes ``torch.zeros(n, device=device)``; else advice."""
    place = source.place_at(line)
    if place is None:
        return None
    written = [call for part in header(place.statement) for call in calls(part)]
    advice = Fix("Make the tensor on the device (device=...)", ())
    pairs = copied_factories(written)
    if not pairs:
        told = any(keyword.arg == "device" for call in written for keyword in call.keywords)
        return None if told else advice
    edits: list[TextEdit] = []
    for factory, copy in pairs:
        made = _made_there(finding.file, source, factory, copy)
        if made is None:
            random = dotted_name(factory.func) in _RANDOM
            if random:
                words = "Draw on the device (device=...), which draws other numbers"
                return Fix(words, ())
            return advice
        edits += made
    return Fix("Make the tensor on the device", tuple(edits))


def _made_there(
    file: str, source: Source, factory: ast.Call, copy: ast.Call
) -> tuple[TextEdit, ...] | None:
    if dotted_name(factory.func) in _RANDOM or not positions_are_true(source, copy):
        return None
    others = {keyword.arg for keyword in copy.keywords} - {"non_blocking"}
    starred = any(isinstance(argument, ast.Starred) for argument in factory.args)
    if others or len(copy.args) > 1 or starred or not (factory.args or factory.keywords):
        return None
    if len(factory.args) == 1 and isinstance(factory.args[0], ast.GeneratorExp):
        return None
    (first, left), (last, right) = source.end(factory), source.end(copy)
    if first != last or "#" in source.lines[first - 1][left:right]:
        return None  # a chain over several lines, perhaps with comments
    device = source.segment(copy.args[0]) if copy.args else '"cuda"'
    return (
        *add_argument(file, source, factory, f"device={device}"),
        replace(file, source.end(factory), source.end(copy), ""),
    )
