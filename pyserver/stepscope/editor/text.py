"""Statements of a source that may be in the middle of an edit."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def parse(text: str) -> ast.Module | None:
    """The syntax tree, or None for a text that does not parse: one that is being typed."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def statement_spans(text: str) -> dict[int, tuple[int, int]]:
    """For each line of a statement of several lines: its first and last line (1-based).

    A compound statement counts with its header alone. Lines that are a statement of their own
    are left out, and so is everything in a text that does not parse.
    """
    spans: dict[int, tuple[int, int]] = {}
    tree = parse(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.stmt):
            first, last = _span(node)
            if last > first:
                spans.update(dict.fromkeys(range(first, last + 1), (first, last)))
    return spans


def _span(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    if not hasattr(node, "body"):
        return first, node.end_lineno or first
    return first, max([node.lineno, *_header_lines(node)])


def _header_lines(node: ast.stmt) -> Iterator[int]:
    """Last lines of the expressions in a compound statement's header."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            for part in ast.walk(child):
                end = getattr(part, "end_lineno", None)
                if end is not None:
                    yield end
