"""checkpoint-blocks: run each block of the loop under ``checkpoint``."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.rules.checkpoint_blocks import runs_block
from stepscope.diagnosis.source import Place, Position, Source
from stepscope.fixes.edits import insert, replace
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import own_statements

RULE = "checkpoint-blocks"
_MODULE = "torch.utils.checkpoint"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``x = block(x)`` -> ``x = checkpoint(block, x, use_reentrant=False)``, imported once.

    Dropout is the same in both passes: checkpoint keeps the state of the generators.
    """
    title = "Recompute this block's activations (torch.utils.checkpoint)"
    places = [place for place in source.places_at(line) if runs_block(place)]
    if not places:
        return None
    call = _call(places[-1])
    if call is None or call.keywords or not call.args:
        return Fix(f"{title}: checkpoint(block, ..., use_reentrant=False)", ())
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if starred or _brackets_before(source, call) != 1:
        return Fix(f"{title}: checkpoint(block, ..., use_reentrant=False)", ())
    name = _imported(source)
    first = source.start(call.args[0])
    function = source.segment(call.func)
    edits = [
        replace(finding.file, source.start(call), source.end(call.func), name or "checkpoint"),
        insert(finding.file, first, f"{function}, "),
    ]
    end = max(source.end(argument) for argument in call.args)
    edits.append(insert(finding.file, end, ", use_reentrant=False"))
    if name is None:
        behind = _behind_torch(source)
        if behind is None or _taken(source):
            return Fix(f"{title}: checkpoint(block, ..., use_reentrant=False)", ())
        statement = f"from {_MODULE} import checkpoint{source.newline}"
        edits.insert(0, insert(finding.file, behind, statement))
    return Fix(title, tuple(edits))


def _call(place: Place) -> ast.Call | None:
    value = getattr(place.statement, "value", None)
    return value if isinstance(value, ast.Call) else None


def _brackets_before(source: Source, call: ast.Call) -> int:
    """How many open before the first argument: the call's own, and those of the argument."""
    (first, left), (last, right) = source.end(call.func), source.start(call.args[0])
    lines = list(source.lines[first - 1 : last])
    lines[-1] = lines[-1][:right]
    lines[0] = lines[0][left:]
    return sum(line.partition("#")[0].count("(") for line in lines)


def _imported(source: Source) -> str | None:
    for node in own_statements(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module == _MODULE:
            for alias in node.names:
                if alias.name == "checkpoint":
                    return alias.asname or alias.name
    return None


def _taken(source: Source) -> bool:
    """Whether the file uses the name for something of its own."""
    return any(
        (isinstance(node, ast.Name) and node.id == "checkpoint")
        or (isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == "checkpoint")
        or (isinstance(node, ast.arg) and node.arg == "checkpoint")
        for node in ast.walk(source.tree)
    )


def _behind_torch(source: Source) -> Position | None:
    """Behind the last top-level import of torch that has its lines to itself."""
    at: Position | None = None
    for node in source.tree.body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        alone = not source.lines[source.end(node)[0] - 1][source.end(node)[1] :].strip(" \t")
        if alone and any(name.partition(".")[0] == "torch" for name in names):
            at = (source.end(node)[0] + 1, 0)
    return at
