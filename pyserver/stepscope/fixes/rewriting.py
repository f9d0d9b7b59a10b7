"""Edits of calls, values and statements that several fixes share."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from stepscope.diagnosis.source import Place, Position, Source, calls, dotted_name, header
from stepscope.fixes.edits import add_argument, insert, letters_of_call, replace
from stepscope.fixes.model import TextEdit

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def calls_at(source: Source, line: int, *names: str) -> list[tuple[Place, ast.Call]]:
    """Calls whose last name is one of ``names``, in the statements that ``line`` is part of.

    None of them inside an f-string: before Python 3.12 positions there are not those of the source.
    """
    found = []
    for place in source.places_at(line):
        for part in header(place.statement):
            inside = {
                id(node)
                for joined in ast.walk(part)
                if isinstance(joined, ast.JoinedStr)
                for node in ast.walk(joined)
            }
            for call in calls(part):
                named = dotted_name(call.func).rpartition(".")[2] in names
                if named and id(call) not in inside:
                    found.append((place, call))
    return found


def keyword_of(call: ast.Call, name: str) -> ast.keyword | None:
    """The keyword argument of that name."""
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)


def set_keyword(
    file: str, source: Source, call: ast.Call, name: str, value: str
) -> tuple[TextEdit, ...]:
    """``name=value`` in the call, in the place of another value; nothing where it is so already.

    Not for a call that unpacks arguments.
    """
    given = keyword_of(call, name)
    if given is not None:
        if source.segment(given.value) == value:
            return ()
        return (replace(file, source.start(given.value), source.end(given.value), value),)
    if call.args or call.keywords:
        return add_argument(file, source, call, f"{name}={value}")
    line, column = source.end(call)
    return (insert(file, (line, column - 1), f"{name}={value}"),)


def remove_keyword(
    file: str, source: Source, call: ast.Call, keyword: ast.keyword
) -> tuple[TextEdit, ...]:
    """The call without that argument and the comma that came with it; comments stay."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    start, end = source.start(keyword), source.end(keyword)
    before = [source.end(one) for one in arguments if source.end(one) <= start]
    comma = _next_comma(source, end, source.end(call))
    if comma is not None:
        end = comma
        rest = source.lines[end[0] - 1][end[1] :]
        if rest.strip(" \t"):
            end = (end[0], end[1] + len(rest) - len(rest.lstrip(" \t")))
        elif not source.lines[start[0] - 1][: start[1]].strip() and end[0] < len(source.lines):
            # Alone on its lines, which go as a whole.
            start, end = (start[0], 0), (end[0] + 1, 0)
        following = [source.start(one) for one in arguments if source.start(one) >= end]
        if following or not before or start[1] == 0:
            return (replace(file, start, end, ""),)
        end = comma
    if before:
        previous = _next_comma(source, max(before), source.end(call))
        between = source.lines[start[0] - 1][: start[1]]
        if previous is not None and previous[0] == start[0] and previous <= start:
            kept = "," if comma is not None else ""
            return (replace(file, (previous[0], previous[1] - 1), end, kept),)
        if not between.strip() and previous is not None:
            edits = [replace(file, start, end, "")]
            if comma is None:
                edits.insert(0, replace(file, (previous[0], previous[1] - 1), previous, ""))
            return tuple(edits)
    return (replace(file, start, end, ""),)


def _next_comma(source: Source, after: Position, close: Position) -> Position | None:
    """Just behind the comma that follows ``after`` in a call, None where none does."""
    return next(
        (behind for behind, letter in letters_of_call(source, after, close) if letter == ","), None
    )


def detach(file: str, source: Source, value: ast.expr) -> tuple[TextEdit, ...]:
    """``value.detach()``, in parentheses where the value needs them."""
    end = source.end(value)
    simple = isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    if simple or _in_parentheses(source, value):
        at = (end[0], end[1] + (0 if simple else 1))
        return (insert(file, at, ".detach()"),)
    return (insert(file, source.start(value), "("), insert(file, end, ").detach()"))


def _in_parentheses(source: Source, value: ast.expr) -> bool:
    (first, left), (last, right) = source.start(value), source.end(value)
    opens = source.lines[first - 1][:left].endswith("(")
    closes = source.lines[last - 1][right:].startswith(")")
    before = source.lines[first - 1][: max(0, left - 1)].rstrip(" \t")
    # Those of a call are not the value's own.
    return opens and closes and (not before or before[-1] in "=(,+-*/:")


def torch_name(source: Source, place: Place | None = None) -> str | None:
    """What the torch module is called at ``place`` (at module level without), None if nothing."""
    around = [p for p in place.parents if isinstance(p, _FUNCTIONS)] if place else []
    for scope in (*reversed(around), source.tree):
        for node in own_statements(scope):
            for alias in node.names if isinstance(node, ast.Import) else ():
                if alias.name == "torch":
                    return alias.asname or "torch"
                if alias.name.startswith("torch.") and alias.asname is None:
                    return "torch"
    return None


def own_statements(scope: ast.AST) -> Iterator[ast.AST]:
    """Statements of a function or module, not of the functions and classes in it."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef, ast.expr)):
            continue
        yield child
        yield from own_statements(child)


def names_read(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are read anywhere below ``nodes``."""
    return {
        part.id
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }


def names_stored(node: ast.AST) -> set[str]:
    """Names that are assigned anywhere below ``node``."""
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
