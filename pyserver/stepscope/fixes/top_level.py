"""Statements that are added once to a file: imports, settings after them, a call before a loop."""

from __future__ import annotations

import ast

from stepscope.diagnosis.source import Place, Position, Source, span
from stepscope.fixes.edits import insert, stands_alone
from stepscope.fixes.model import TextEdit

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def module_name(source: Source, module: str) -> str | None:
    """What ``import module`` calls it at the top of the file; None if it is not imported there."""
    for node in source.tree.body:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name == module:
                return alias.asname or module
            if alias.name.startswith(f"{module}.") and alias.asname is None:
                return module
    return None


def alias_of(source: Source, module: str, name: str) -> str | None:
    """What ``from module import name`` or ``import module.name as ...`` calls it, at the top."""
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == module and not node.level:
            for alias in node.names:
                if alias.name == name:
                    return alias.asname or name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == f"{module}.{name}" and alias.asname:
                    return alias.asname
    return None


def importing(file: str, source: Source, module: str) -> tuple[TextEdit, ...]:
    """``import module`` before the first statement that may follow it."""
    body = source.tree.body
    index = 1 if ast.get_docstring(source.tree, clean=False) is not None else 0
    while index < len(body) and _is_future(body[index]):
        index += 1
    if index == len(body):
        return ()
    line = span(body[index])[0]
    before = source.lines[line - 1][: source.start(body[index])[1]]
    if line == body[index].lineno and before.strip():  # it shares its line with a docstring, say
        return (insert(file, source.start(body[index]), f"import {module}; "),)
    return (insert(file, (line, 0), f"import {module}{source.newline}"),)


def after_imports(source: Source) -> Position | None:
    """Start of the line behind the imports that the file begins with; None if it has none."""
    last: ast.stmt | None = None
    for index, statement in enumerate(source.tree.body):
        docstring = index == 0 and ast.get_docstring(source.tree, clean=False) is not None
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            last = statement
        elif not docstring:
            break
    if last is None:
        return None
    line = last.end_lineno or last.lineno
    rest = source.lines[line - 1][source.end(last)[1] :].strip()
    if (rest and not rest.startswith("#")) or line >= len(source.lines):
        return None  # another statement shares the line, or nothing follows
    return (line + 1, 0)


def outermost_loop(source: Source, line: int) -> Place | None:
    """The outermost loop around ``line`` in its own function, or None."""
    places = source.places_at(line)
    if not places:
        return None
    inner = places[-1]
    chain = [*inner.parents, inner.statement]
    for index in range(len(chain) - 1, -1, -1):
        if isinstance(chain[index], _SCOPES):
            chain = chain[index + 1 :]
            break
    loop = next((node for node in chain if isinstance(node, _LOOPS)), None)
    return next((place for place in source.places if place.statement is loop), None)


def before(file: str, source: Source, place: Place, text: str) -> tuple[TextEdit, ...]:
    """A statement on a line of its own right before the one at ``place``.

    No edit where that is not possible, because others share its line.
    """
    first = source.start(place.statement)
    begins = source.lines[first[0] - 1][: first[1]].strip(" \t\f") == ""
    if not begins or not _starts_alone(source, place):
        return ()
    indent = source.indent(first[0])
    return (insert(file, first, f"{text}{source.newline}{indent}"),)


def _starts_alone(source: Source, place: Place) -> bool:
    line = place.statement.lineno
    return not (line > 1 and source.lines[line - 2].endswith("\\"))


def removed(file: str, source: Source, place: Place) -> tuple[TextEdit, ...] | None:
    """The statement at ``place`` taken away with its line; a comment on it stays.

    None where others share its line.
    """
    if not stands_alone(source, place):
        return None
    statement = place.statement
    start, end = source.start(statement), source.end(statement)
    if len(place.block) == 1:
        return (TextEdit(file, *start, *end, "pass"),)
    rest = source.lines[end[0] - 1][end[1] :]
    if rest.strip():
        end = (end[0], end[1] + len(rest) - len(rest.lstrip()))
        return (TextEdit(file, *start, *end, ""),)
    if end[0] < len(source.lines):
        return (TextEdit(file, start[0], 0, end[0] + 1, 0, ""),)
    return (TextEdit(file, start[0], 0, end[0], end[1] + len(rest), ""),)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
