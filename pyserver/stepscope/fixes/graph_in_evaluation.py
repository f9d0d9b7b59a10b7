"""graph-in-evaluation: run the statement without gradients."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Source, calls, dotted_name
from stepscope.fixes.edits import stands_alone, wrap
from stepscope.fixes.gradients import without_gradients
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import names_read, names_stored, torch_name
from stepscope.fixes.top_level import importing

RULE = "graph-in-evaluation"
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TITLE = "Run this without gradients (torch.no_grad())"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The statement under ``torch.no_grad()``.

    Not ``inference_mode``: its tensors may not be used in a graph later, and who reads them is not
    always to be seen.
    """
    place = source.place_at(line)
    if place is None or without_gradients((*place.parents, place.statement)):
        return None
    statement = place.statement
    if not isinstance(statement, _SIMPLE) or not stands_alone(source, place):
        return Fix(f"{_TITLE}: by hand, as it is part of this line only", ())
    if not any(calls(statement)):
        return Fix(f"{_TITLE}: where this is called", ())
    if _trains(source, place):
        return Fix(f"{_TITLE}: only the part that no backward pass needs", ())
    torch = torch_name(source, place)
    edits = wrap(source, finding.file, place, statement, f"with {torch or 'torch'}.no_grad():")
    if torch is None:
        edits = (*importing(finding.file, source, "torch"), *edits)
    return Fix(_TITLE, edits)


def _trains(source: Source, place: Place) -> bool:
    """Whether a backward pass starts in the statement, or from what is made of its result.

    What is read only through ``.detach()`` is cut off from the graph there.
    """
    if any(dotted_name(c.func).rpartition(".")[2] == "backward" for c in calls(place.statement)):
        return True
    names = names_stored(place.statement)
    for later in place.block[place.index + 1 :]:
        if not _reads_with_graph(source, later, names):
            continue
        if any(dotted_name(c.func).rpartition(".")[2] == "backward" for c in calls(later)):
            return True
        names |= names_stored(later)
    return False


def _reads_with_graph(source: Source, statement: ast.stmt, names: set[str]) -> bool:
    text = source.segment(statement)
    cut = {name for name in names if text.count(f"{name}.detach()") == _reads(statement, name)}
    return bool(names_read([statement]) & (names - cut))


def _reads(statement: ast.stmt, name: str) -> int:
    return sum(
        1
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
    )
