"""The loops of a source file, from its AST."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """One ``for`` or ``while`` statement. Lines are 1-based and inclusive.

    A pass begins when execution comes from elsewhere into ``mark``: the header, or for ``while
    True``, which has no code of its own, the first statement of the body.
    """

    file: str
    line: int
    end_line: int
    mark: tuple[int, int]


_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class LoopIndex:
    """Loops around a line, file by file, parsed once. A file that cannot be read has none."""

    def __init__(self) -> None:
        self._files: dict[str, list[tuple[int, int, list[Loop]]]] = {}

    def know(self, file: str, source: bytes) -> None:
        """Take this as the file's text: it is what runs, whatever the file says meanwhile."""
        self._files[file] = _functions(file, source)

    def starting_at(self, file: str, line: int) -> Loop | None:
        """The loop whose statement begins in ``line``."""
        functions = self._files.get(file)
        if functions is None:
            functions = self._files[file] = _functions(file, _read(file))
        loops = [loop for _, _, loops in functions for loop in loops if loop.line == line]
        return loops[0] if loops else None

    def enclosing(self, file: str, line: int) -> list[Loop]:
        """Loops that contain ``line`` within its own function, innermost first."""
        functions = self._files.get(file)
        if functions is None:
            functions = self._files[file] = _functions(file, _read(file))
        around = [entry for entry in functions if entry[0] <= line <= entry[1]]
        if not around:
            return []
        # The narrowest function that holds the line is the one that executes it.
        loops = min(around, key=lambda entry: entry[1] - entry[0])[2]
        found = [loop for loop in loops if loop.line <= line <= loop.end_line]
        return sorted(found, key=lambda loop: loop.end_line - loop.line)


def with_pass_calls(source: bytes, line: int, name: str) -> ast.Module:
    """The file's tree with a call of ``name()`` at the start of each pass of the loop at ``line``.

    The call stands on the line of the body's first statement, so no line of the file moves or
    fires twice. Raises ``SyntaxError`` as ``compile`` would.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and node.lineno == line:
            call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))
            first = node.body[0]
            for part in ast.walk(call):
                ast.copy_location(part, first)
            node.body.insert(0, call)
            break
    return tree


def _read(file: str) -> bytes:
    try:
        with open(file, "rb") as source:
            return source.read()
    except OSError:
        return b""


def _functions(file: str, source: bytes) -> list[tuple[int, int, list[Loop]]]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    found: list[tuple[int, int, list[Loop]]] = []

    def visit(node: ast.AST, loops: list[Loop]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _Function):
                inner: list[Loop] = []
                found.append((child.lineno, child.end_lineno or child.lineno, inner))
                visit(child, inner)
                continue
            if isinstance(child, (ast.For, ast.AsyncFor, ast.While)):
                loops.append(_loop(file, child))
            visit(child, loops)

    module: list[Loop] = []
    found.append((0, 1 << 60, module))
    visit(tree, module)
    return found


def _loop(file: str, node: ast.For | ast.AsyncFor | ast.While) -> Loop:
    end = node.end_lineno or node.lineno
    first = node.body[0]
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
        mark = (first.lineno, first.end_lineno or first.lineno)
    else:
        # A header over several lines fires on the line of its iterable or test.
        mark = (node.lineno, max(node.lineno, first.lineno - 1))
    return Loop(file, node.lineno, end, mark)
