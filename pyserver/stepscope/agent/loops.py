"""The loops of a source file, from its AST."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Loop:
    """One ``for`` or ``while`` statement, or a comprehension. Lines are 1-based and inclusive.

    A pass begins when execution comes from elsewhere into ``mark``: the header, or for ``while
    True``, which has no code of its own, where the first statement of the body begins. The mark of
    a comprehension, and of a loop on one line, holds no line: nothing tells their passes apart.
    ``calls`` are the lines on which
    the loop calls what it loops over, as one over a list of handlers does.
    """

    file: str
    line: int
    end_line: int
    mark: tuple[int, int]
    calls: frozenset[int] = frozenset()
    is_statement: bool = True

    def __eq__(self, other: object) -> bool:
        # At each step loops are compared, nearly always with themselves.
        return self is other or (isinstance(other, Loop) and vars(self) == vars(other))

    def __hash__(self) -> int:
        return hash((self.file, self.line, self.end_line))

    @property
    def shows_passes(self) -> bool:
        """Whether lines tell where a pass begins."""
        return self.mark != _NO_LINE


_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NO_LINE = (0, -1)


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
        loops = (loop for _, _, loops in functions for loop in loops)
        return next((loop for loop in loops if loop.line == line and loop.is_statement), None)

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
            elif isinstance(child, _Comprehension):
                end = child.end_lineno or child.lineno
                loops.append(Loop(file, child.lineno, end, _NO_LINE, is_statement=False))
            visit(child, loops)

    module: list[Loop] = []
    found.append((0, 1 << 60, module))
    visit(tree, module)
    return found


def _loop(file: str, node: ast.For | ast.AsyncFor | ast.While) -> Loop:
    end = node.end_lineno or node.lineno
    first = node.body[0]
    if first.lineno == node.lineno:
        mark = _NO_LINE
    elif isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
        mark = _beginning(first)
    else:
        # A header over several lines fires on the line of its iterable or test.
        mark = (node.lineno, max(node.lineno, first.lineno - 1))
    return Loop(file, node.lineno, end, mark, frozenset(_called(node)))


def _called(node: ast.For | ast.AsyncFor | ast.While) -> Iterator[int]:
    """Lines with a call of the loop's own variable, or of an attribute looked up by name."""
    if isinstance(node, ast.While):
        return
    own = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        called = call.func
        if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.args:
            called = called.args[0] if called.func.id == "getattr" else called
        if isinstance(called, ast.Name) and called.id in own:
            yield from range(call.lineno, (call.end_lineno or call.lineno) + 1)


def _beginning(node: ast.stmt) -> tuple[int, int]:
    """The lines on which a statement begins, and to which nothing inside it comes back."""
    if isinstance(node, (ast.With, ast.AsyncWith, ast.If, ast.Try)):
        return (node.lineno, max(node.lineno, node.body[0].lineno - 1))
    return (node.lineno, node.end_lineno or node.lineno)
