"""What a file does when it is run, told from its text: train, or only define things."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_FRAMEWORKS = frozenset({"fit", "learn"})  # Lightning, fastai, Keras; Stable-Baselines
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Purpose:
    """``trains``: code that runs holds training steps. ``only_defines``: nothing else runs."""

    trains: bool
    only_defines: bool


def purpose_of(source: str | bytes) -> Purpose:
    """Of a file's text. One that does not parse is left to Python: it does both no harm."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return Purpose(trains=False, only_defines=False)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.bases]
    executed = list(_executed(tree))
    trains = any(_trains(node) for node in executed)
    outside = [node for node in tree.body if not isinstance(node, _DEFINITIONS)]
    return Purpose(
        trains=trains,
        only_defines=bool(classes)
        and not trains
        # Functions of the file that run may do anything.
        and len(executed) == len(outside)
        and all(_is_harmless(node) for node in outside),
    )


def _is_harmless(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, (ast.If, ast.Try)):
        return all(isinstance(inner, (*_DEFINITIONS, ast.Assign, ast.Pass)) for inner in node.body)
    return isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))


def _executed(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements outside definitions, and the bodies of the file's functions that they reach."""
    functions = {
        node.name: node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    waiting: list[ast.stmt] = [node for node in tree.body if not isinstance(node, _DEFINITIONS)]
    reached: set[str] = set()
    while waiting:
        statement = waiting.pop()
        yield statement
        for node in ast.walk(statement):
            # Named is enough: `main` may be handed to something that calls it.
            if isinstance(node, ast.Name) and node.id in functions and node.id not in reached:
                reached.add(node.id)
                waiting += functions[node.id].body


def _trains(statement: ast.stmt) -> bool:
    """An optimizer's step or a framework's fit anywhere; a backward pass within a loop."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name == "step" and not _names_scheduler(node.func.value):
                return True
            if name in _FRAMEWORKS:
                return True
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)) and _goes_backward(node):
            return True
    return False


def _goes_backward(loop: ast.stmt) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(loop))


def _names_scheduler(node: ast.expr) -> bool:
    return "sched" in ast.unparse(node)
