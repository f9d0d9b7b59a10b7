"""A line of log in a loop that counts its passes, put under ``if i % 50 == 0:``."""

from __future__ import annotations

import ast

from stepscope.diagnosis.source import Place, Source, dotted_name
from stepscope.diagnosis.spelled import LOGGING
from stepscope.fixes.edits import stands_alone, wrap
from stepscope.fixes.model import Fix, TextEdit

EVERY = 50
"""Steps between two lines of a log: seldom enough that a wait of one step's length costs 2 %."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def now_and_then(file: str, source: Source, place: Place) -> Fix | None:
    """A line of log in ``for i, ... in enumerate(...)`` under ``if i % 50 == 0:``."""
    statement = place.statement
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    called = dotted_name(statement.value.func).rpartition(".")[2]
    assigns = any(isinstance(node, ast.NamedExpr) for node in ast.walk(statement))
    if called not in LOGGING or assigns or not stands_alone(source, place):
        return None
    counter = _counter(place)
    if counter is None or is_occasional(place):
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


def is_occasional(place: Place) -> bool:
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
