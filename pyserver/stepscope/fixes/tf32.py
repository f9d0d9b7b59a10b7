"""tf32: allow TF32 for float32 matrix products, once, behind the imports."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, dotted_name
from stepscope.fixes.edits import insert
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import torch_name
from stepscope.fixes.top_level import after_imports

RULE = "tf32"
_SETTERS = ("set_float32_matmul_precision",)
_FLAGS = ("allow_tf32", "fp32_precision")


def fix(finding: Finding, source: Source, line: int) -> Fix | None:  # noqa: ARG001
    """One statement behind the first imports; words where the file sets it already, elsewhere."""
    title = 'Allow TF32: torch.set_float32_matmul_precision("high")'
    if _sets_it(source):
        return None
    name, at = torch_name(source), after_imports(source)
    if name is None or at is None:
        return Fix(f"{title}, before the model is made", ())
    text = f'{name}.set_float32_matmul_precision("high"){source.newline}'
    blank = source.lines[at[0] - 1].strip() == ""
    # As a paragraph of its own behind the imports.
    text = source.newline + text + ("" if blank else source.newline)
    return Fix(title, (insert(finding.file, at, text),))


def _sets_it(source: Source) -> bool:
    nodes = list(ast.walk(source.tree))  # functions too: often it is the first line of main()
    return any(
        dotted_name(node.func).rpartition(".")[2] in _SETTERS
        for node in nodes
        if isinstance(node, ast.Call)
    ) or any(
        isinstance(node.ctx, ast.Store) and node.attr in _FLAGS
        for node in nodes
        if isinstance(node, ast.Attribute)
    )
