"""The module classes of a file, and which of them is the model."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

_PARTS = re.compile(r"(Loss|Criterion|Metric|Mixin|Base)$|^(Base|Abstract)")


@dataclass(frozen=True)
class ModelClass:
    """One class of the file. ``line`` (1-based) is that of its ``class`` statement or decorator."""

    name: str
    line: int
    node: ast.ClassDef
    type: Any


def model_classes(tree: ast.Module, module: ModuleType, torch: Any) -> list[ModelClass]:
    """Classes of the file that are modules, in the order of the file."""
    found = []
    for node in top_level(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        made = getattr(module, node.name, None)
        if isinstance(made, type) and issubclass(made, torch.nn.Module):
            line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.append(ModelClass(node.name, line, node, made))
    return found


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run on import, those inside ``if`` and ``try`` among them."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if isinstance(node, (ast.If, ast.Try)):
            inner = [*node.body, *node.orelse]
            if isinstance(node, ast.Try):
                inner += [statement for handler in node.handlers for statement in handler.body]
                inner += node.finalbody
            waiting = inner + waiting


def roots(classes: list[ModelClass], tree: ast.Module, path: str) -> list[ModelClass]:
    """The classes that no other class of the file uses, the likeliest model first."""
    uses = _uses(classes, tree)
    used = {name for user, names in uses.items() for name in names if name != user}
    runnable = [entry for entry in classes if has_forward(entry.type)]
    chosen = [entry for entry in runnable if entry.name not in used] or runnable
    stem = _plain(os.path.basename(path).removesuffix(".py"))
    shown = _names(main_part(tree))
    order = {entry.name: index for index, entry in enumerate(classes)}

    def rank(entry: ModelClass) -> tuple[bool, bool, bool, int, int]:
        return (
            entry.name not in shown,
            _plain(entry.name) != stem,
            bool(_PARTS.search(entry.name)),
            -len(uses[entry.name] - {entry.name}),
            -order[entry.name],
        )

    return sorted(chosen, key=rank)


def has_forward(made: Any) -> bool:
    """Whether the class can be called: it defines a forward, and nothing in it is abstract."""
    forward = getattr(made, "forward", None)
    if inspect.isabstract(made) or forward is None:
        return False
    return getattr(forward, "__name__", "") != "_forward_unimplemented" and not _only_raises(
        forward
    )


def main_part(tree: ast.Module) -> list[ast.stmt]:
    """The body of ``if __name__ == "__main__"``."""
    for node in tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return node.body
    return []


def _only_raises(function: Any) -> bool:
    """Whether it is a forward that subclasses must replace."""
    code = getattr(function, "__code__", None)
    return code is not None and "NotImplementedError" in code.co_names and len(code.co_names) == 1


def _uses(classes: list[ModelClass], tree: ast.Module) -> dict[str, set[str]]:
    """For each class the classes of the file that it needs, also through the file's functions."""
    functions = {
        node.name: _names([node]) for node in top_level(tree) if isinstance(node, ast.FunctionDef)
    }
    known = {entry.name for entry in classes}
    direct = {entry.name: _names([entry.node]) for entry in classes}
    found: dict[str, set[str]] = {}
    for name in known:
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting.pop()
            for other in direct.get(current) or functions.get(current) or ():
                if other not in reached and (other in known or other in functions):
                    reached.add(other)
                    waiting.append(other)
        found[name] = reached & known
    return found


def _names(nodes: list[Any]) -> set[str]:
    return {
        found.id
        for node in nodes
        for found in ast.walk(node)
        if isinstance(found, ast.Name) and isinstance(found.ctx, ast.Load)
    }


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
