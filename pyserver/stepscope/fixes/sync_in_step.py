"""sync-in-step: keep the value on the device, ask for it now and then, or not at all."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Source, calls, dotted_name, header
from stepscope.fixes.edits import replace, stands_alone, wrap
from stepscope.fixes.model import Fix, TextEdit

RULE = "sync-in-step"

EVERY = 50
"""Steps between two lines of a log: seldom enough that a wait of one step's length costs 2 %."""

_ADVICE = {
    "item": "Read the value every few steps, or keep it on the device with .detach()",
    "cpu": "Copy to the host after the loop, or every few steps",
    "print": f"Print every {EVERY} steps",
    "bool": "Decide with torch.where instead of a Python branch",
    "nonzero": "Use torch.where or a fixed size instead of a result whose size depends on values",
    "synchronize": "Leave the synchronisation out, or time with events",
}

# Calls whose result nobody uses and whose reader does not need every step.
_LOGGING = frozenset(
    ("print", "debug", "info", "warning", "log", "write", "add_scalar", "add_scalars")
) | frozenset(("set_postfix", "set_postfix_str", "set_description", "log_metric", "log_metrics"))
_CLOCKS = frozenset(("time", "perf_counter", "monotonic", "time_ns", "perf_counter_ns"))
# Libraries that take numbers and would copy tensors to the host, or refuse them.
_HOST_LIBRARIES = frozenset(("np", "numpy", "plt", "json", "statistics", "pd"))

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """An edit for the forms that can be changed safely, else advice; None where it is done."""
    kind = str(finding.evidence.get("kind", "item"))
    # What is asked for decides: after an edit the line may hold the next statement.
    makers = (_without_synchronize,) if kind == "synchronize" else (_detached, _now_and_then)
    places = source.places_at(line)
    for place in places:
        for make in makers:
            made = make(finding.file, source, place)
            if made is not None:
                return made
    if any(_may_sync(p.statement, kind) and not _is_occasional(p) for p in places):
        return Fix(_ADVICE.get(kind, _ADVICE["item"]), ())
    return None


def _may_sync(statement: ast.stmt, kind: str) -> bool:
    """Whether the statement can still be the one that was found."""
    if kind in ("bool", "nonzero"):  # have no spelling of their own
        return True
    called = {
        dotted_name(call.func).rpartition(".")[2]
        for part in header(statement)
        for call in calls(part)
    }
    return "synchronize" in called if kind == "synchronize" else bool(called - {"append", "detach"})


def _without_synchronize(file: str, source: Source, place: Place) -> Fix | None:
    """``torch.cuda.synchronize()`` alone on its line, unless it is there for a clock."""
    statement = place.statement
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    name = dotted_name(statement.value.func)
    if not name.endswith(".synchronize") or not stands_alone(source, place):
        return None
    around = place.block[max(0, place.index - 1) : place.index + 2]
    if any(_reads_clock(other) for other in around):
        return None
    title = f"Remove {name}()"
    start, end = source.start(statement), source.end(statement)
    if len(place.block) == 1:
        return Fix(title, (replace(file, start, end, "pass"),))
    rest = source.lines[end[0] - 1][end[1] :]
    if rest.strip():  # the comment stays, in the statement's place
        end = (end[0], end[1] + len(rest) - len(rest.lstrip()))
        return Fix(title, (replace(file, start, end, ""),))
    if end[0] < len(source.lines):
        return Fix(title, (replace(file, (start[0], 0), (end[0] + 1, 0), ""),))
    return Fix(title, (replace(file, (start[0], 0), (end[0], end[1] + len(rest)), ""),))


def _reads_clock(statement: ast.stmt) -> bool:
    return any(dotted_name(c.func).rpartition(".")[2] in _CLOCKS for c in calls(statement))


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


def _now_and_then(file: str, source: Source, place: Place) -> Fix | None:
    """A line of log in ``for i, ... in enumerate(...)`` under ``if i % 50 == 0:``."""
    statement = place.statement
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    called = dotted_name(statement.value.func).rpartition(".")[2]
    assigns = any(isinstance(node, ast.NamedExpr) for node in ast.walk(statement))
    if called not in _LOGGING or assigns or not stands_alone(source, place):
        return None
    counter = _counter(place)
    if counter is None or _is_occasional(place):
        return None
    edits: tuple[TextEdit, ...] = wrap(
        source, file, place, statement, f"if {counter} % {EVERY} == 0:"
    )
    return Fix(f"Log every {EVERY} steps", edits)


def _innermost_loop(place: Place) -> ast.AST | None:
    for parent in reversed(place.parents):
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
            return parent
        if isinstance(parent, _SCOPES):
            return None
    return None


def _counter(place: Place) -> str | None:
    """The variable that counts the passes of the loop around, by one each."""
    loop = _innermost_loop(place)
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return None
    iterated = loop.iter
    if dotted_name(iterated.func).rpartition(".")[2] == "tqdm" and iterated.args:
        inner = iterated.args[0]
        if not isinstance(inner, ast.Call):
            return None
        iterated = inner
    name = dotted_name(iterated.func)
    target = loop.target
    if name == "enumerate" and isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[0]
    elif name not in ("range", "trange") or len(iterated.args) > 2:
        return None
    if not isinstance(target, ast.Name):
        return None
    for node in ast.walk(ast.Module(body=loop.body, type_ignores=[])):
        if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Store):
            return None
    return target.id


def _is_occasional(place: Place) -> bool:
    """Whether a condition with a remainder, ``if step % n``, is around the statement already."""
    for parent in reversed(place.parents):
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.While, *_SCOPES)):
            return False
        if isinstance(parent, ast.If) and any(
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
            for node in ast.walk(parent.test)
        ):
            return True
    return False
