"""sync-in-step: keep the value on the device, ask for it now and then, or not at all."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Source, calls, dotted_name, header
from stepscope.fixes.edits import replace
from stepscope.fixes.model import Fix
from stepscope.fixes.now_and_then import EVERY, is_occasional, now_and_then

RULE = "sync-in-step"

_ADVICE = {
    "item": "Read the value every few steps, or keep it on the device with .detach()",
    "cpu": "Copy to the host after the loop, or every few steps",
    "print": f"Print every {EVERY} steps",
}

# Libraries that take numbers and would copy tensors to the host, or refuse them.
_HOST_LIBRARIES = frozenset(("np", "numpy", "plt", "json", "statistics", "pd"))


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """An edit for the forms that can be changed safely, else advice; None where it is done."""
    kind = str(finding.evidence.get("kind", "item"))
    places = source.places_at(line)
    for place in places:
        for make in (_detached, now_and_then):
            made = make(finding.file, source, place)
            if made is not None:
                return made
    if any(_may_sync(p.statement) and not is_occasional(p) for p in places):
        return Fix(_ADVICE.get(kind, _ADVICE["item"]), ())
    return None


def _may_sync(statement: ast.stmt) -> bool:
    """Whether the statement can still be the one that was found."""
    called = {
        dotted_name(call.func).rpartition(".")[2]
        for part in header(statement)
        for call in calls(part)
    }
    return bool(called - {"append", "detach"})


def _detached(file: str, source: Source, place: Place) -> Fix | None:
    """``total += loss.item()`` and ``losses.append(loss.item())`` with ``.detach()``."""
    statement = place.statement
    kept: ast.expr
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        kept, value = statement.target, statement.value
    elif (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "append"
        and len(statement.value.args) == 1
        and not statement.value.keywords
    ):
        kept, value = statement.value.func.value, statement.value.args[0]
    else:
        return None
    item = _scaled_item(value)
    if item is None or _needs_numbers(source, kept):
        return None
    line, column = source.end(item)
    if not source.lines[line - 1][:column].endswith("item()"):
        return None  # written with space or a comment inside
    what = "sum" if isinstance(statement, ast.AugAssign) else "values"
    edit = replace(file, (line, column - len("item()")), (line, column), "detach()")
    return Fix(f"Keep the {what} on the device with .detach()", (edit,))


def _scaled_item(value: ast.expr) -> ast.Call | None:
    """The one ``x.item()`` in ``x.item()``, ``x.item() * n`` or ``x.item() / n``."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)):
        found = _scaled_item(value.left)
        other = value.right
        if found is None and isinstance(value.op, ast.Mult):
            found, other = _scaled_item(value.right), value.left
        syncs = any(dotted_name(c.func).endswith(".item") for c in calls(other))
        return None if syncs else found
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "item"
        and not value.args
        and not value.keywords
    ):
        return value
    return None


def _needs_numbers(source: Source, kept: ast.expr) -> bool:
    """Whether what is collected is later given to a library that wants numbers."""
    spelled = ast.dump(_as_load(kept))
    return any(
        isinstance(part, ast.expr) and ast.dump(part) == spelled
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call)
        and dotted_name(call.func).partition(".")[0] in _HOST_LIBRARIES
        for part in ast.walk(call)
    )


def _as_load(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body
