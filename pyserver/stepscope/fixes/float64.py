"""float64: ask for float32 where the source asks for float64."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, dotted_name, header
from stepscope.fixes.edits import replace
from stepscope.fixes.model import Fix, TextEdit

RULE = "float64"
_DTYPES = ("float64", "double")
_ARRAYS = ("from_numpy", "as_tensor")
_ADVICE = "Convert the data to float32 where it is made (NumPy's default is float64)"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``torch.float32`` and ``.float()`` on the line; words where the type comes from elsewhere.

    If it may come from elsewhere as well, two types would meet in one operator, which torch
    refuses.
    """
    if finding.evidence.get("places", 1) != 1 or _reads_arrays(source):
        return Fix(_ADVICE, ())
    edits: dict[tuple[int, int], TextEdit] = {}
    for place in source.places_at(line):
        for part in header(place.statement):
            for node in ast.walk(part):
                edit = _edit(finding.file, source, node)
                if edit is not None:
                    edits.setdefault((edit.start_line, edit.start_column), edit)
    if edits:
        return Fix("Compute in float32 instead of float64", tuple(edits.values()))
    return None  # the one place that asked for it asks no longer


def _reads_arrays(source: Source) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in _ARRAYS for node in ast.walk(source.tree)
    )


def _edit(file: str, source: Source, node: ast.AST) -> TextEdit | None:
    """``torch.float64`` -> ``torch.float32``, ``x.double()`` -> ``x.float()``."""
    word = "float32"
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        attribute, word = node.func, "float"
        if not isinstance(attribute, ast.Attribute) or attribute.attr != "double":
            return None
    elif isinstance(node, ast.Attribute) and node.attr in _DTYPES:
        if dotted_name(node) not in (f"torch.{node.attr}", f"th.{node.attr}"):
            return None
        attribute = node
    else:
        return None
    line, column = source.end(attribute)
    start = column - len(attribute.attr)
    if source.lines[line - 1][start:column] != attribute.attr:
        return None
    return replace(file, (line, start), (line, column), word)
