"""Edits of one call's keyword arguments, and advice where its arguments cannot be seen."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from stepscope.diagnosis.source import Source, dotted_name
from stepscope.fixes.edits import add_argument, insert, replace, unpacks
from stepscope.fixes.model import Fix


def calls_on(source: Source, line: int, names: Iterable[str]) -> list[ast.Call]:
    """Calls of what ends in one of ``names`` that begin on ``line``, else that it is part of."""
    wanted = frozenset(names)
    in_strings = {
        id(part)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    found = [
        node
        for node in ast.walk(source.tree)
        # Before Python 3.12 positions inside f-strings are not those of the source.
        if isinstance(node, ast.Call)
        and id(node) not in in_strings
        and dotted_name(node.func).rpartition(".")[2] in wanted
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return [call for call in found if call.lineno == line] or found


def set_keyword(
    file: str, source: Source, call: ast.Call, keyword: str, value: str, title: str
) -> Fix | None:
    """``keyword=value`` in ``call``; None if it says so already, advice if that cannot be seen."""
    given = next((k.value for k in call.keywords if k.arg == keyword), None)
    if given is not None:
        if not isinstance(given, ast.Constant):
            return Fix(f"{title} instead of {source.segment(given)}", ())
        if repr(given.value) == value:
            return None
        return Fix(title, (replace(file, source.start(given), source.end(given), value),))
    if unpacks(call):
        return Fix(f"{title} in the arguments that are unpacked here", ())
    argument = f"{keyword}={value}"
    if not call.args and not call.keywords:
        line, column = source.end(call)
        if source.lines[line - 1][:column].endswith("()"):
            return Fix(title, (insert(file, (line, column - 1), argument),))
        return Fix(f"{title} in this call", ())
    if not call.keywords and len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp):
        return Fix(f"{title} in this call", ())
    return Fix(title, add_argument(file, source, call, argument))
