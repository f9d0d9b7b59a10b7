"""Python source as rules and fixes see it: lines, statements, and where they stand in a text.

Lines are 1-based. Columns are 0-based code points, as in ``fixes.model.TextEdit``; ``ast`` counts
UTF-8 bytes, and this is the one place that converts.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

# What the tokenizer takes for the end of a line; ``str.splitlines`` also breaks at form feeds.
_LINE_BREAK = re.compile(r"\r\n|\r|\n")

Position = tuple[int, int]
"""(1-based line, 0-based column in code points)."""


@dataclass(frozen=True, slots=True)
class Place:
    """A statement, its siblings, and the statements around it, from the outermost inwards."""

    statement: ast.stmt
    block: list[ast.stmt]
    index: int
    parents: tuple[ast.AST, ...]


class Source:
    """A text that parses, together with its tree. Raises ``SyntaxError`` for one that does not."""

    def __init__(self, text: str) -> None:
        try:
            with warnings.catch_warnings():
                # Of doubtful escapes and the like the user hears when running the file.
                warnings.simplefilter("ignore")
                self.tree = ast.parse(text)
        except (ValueError, RecursionError, MemoryError) as error:
            # Null characters, and nesting deeper than the parser's stack.
            raise SyntaxError(str(error)) from error
        self.text = text
        self.lines = _LINE_BREAK.split(text)

    @property
    def newline(self) -> str:
        """How the text ends its lines, as its first line does."""
        found = _LINE_BREAK.search(self.text)
        return found.group() if found else "\n"

    def position(self, line: int, utf8_column: int) -> Position:
        """Position of ``ast``'s ``(lineno, col_offset)``."""
        encoded = self.lines[line - 1].encode("utf-8", "surrogatepass")
        return line, len(encoded[:utf8_column].decode("utf-8", "surrogatepass"))

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> Position:
        """Where ``node`` begins; decorators are not part of it."""
        return self.position(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> Position:
        """Just behind the last character of ``node``."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.position(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of ``node``, line breaks as they are in the source."""
        (first, left), (last, right) = self.start(node), self.end(node)
        if first == last:
            return self.lines[first - 1][left:right]
        inner = self.lines[first : last - 1]
        return "\n".join([self.lines[first - 1][left:], *inner, self.lines[last - 1][:right]])

    def indent(self, line: int) -> str:
        """The white space that ``line`` begins with."""
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip(" \t\f"))]

    @cached_property
    def in_strings(self) -> frozenset[int]:
        """The ids of nodes inside f-strings."""
        return frozenset(
            id(part)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.JoinedStr)
            for part in ast.walk(node)
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every statement, outer ones first."""
        return tuple(_places(self.tree, ()))

    @cached_property
    def _by_line(self) -> dict[int, list[Place]]:
        found: dict[int, list[Place]] = defaultdict(list)
        for place in self.places:
            first, last = span(place.statement)
            for line in range(first, last + 1):
                found[line].append(place)
        return dict(found)

    def places_at(self, line: int) -> tuple[Place, ...]:
        """The statements that ``line`` is part of, the innermost last.

        Of a compound statement only the header counts: its body belongs to the statements in it,
        and blank or comment lines belong to none.
        """
        return tuple(self._by_line.get(line, ()))

    def place_at(self, line: int) -> Place | None:
        """The innermost statement that ``line`` is part of; the last of several on one line."""
        places = self.places_at(line)
        return places[-1] if places else None

    def last_line_of_statement(self, line: int) -> int:
        """Last line of the statement (or compound statement's header) that ``line`` is in."""
        place = self.place_at(line)
        return span(place.statement)[1] if place else line


@lru_cache(maxsize=32)  # every rule asks for the same few files
def parse(text: str) -> Source | None:
    """The source, or None for a text that does not parse: one that is being typed."""
    try:
        return Source(text)
    except SyntaxError:
        return None


def span(statement: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement; of a compound one, of its header with decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(d.lineno for d in decorators)])
    if not hasattr(statement, "body") and not isinstance(statement, ast.Match):
        return first, statement.end_lineno or first
    ends = [statement.lineno]
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            ends += (getattr(part, "end_lineno", None) or 0 for part in ast.walk(child))
    return first, max(ends)


def dotted_name(node: ast.AST) -> str:
    """``torch.cuda.synchronize`` of the expression so spelled; ``""`` for any other.

    What stands before the first name (a call, an index) is left out, its dot kept:
    ``f().item`` gives ``.item``.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif parts:
        parts.append("")
    return ".".join(reversed(parts))


def calls(node: ast.AST) -> Iterator[ast.Call]:
    """Every call under ``node``, itself included, but not those in functions defined there."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, ast.Call):
            yield current
        if current is node or not isinstance(
            current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
        ):
            pending.extend(ast.iter_child_nodes(current))


def header(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement without the statements in its body."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield child


def _places(node: ast.AST, parents: tuple[ast.AST, ...]) -> Iterator[Place]:
    for name in ("body", "orelse", "handlers", "finalbody", "cases"):
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue  # the body of a lambda or of a conditional expression
        for index, child in enumerate(block):
            if isinstance(child, ast.stmt):
                yield Place(child, block, index, parents)
            yield from _places(child, (*parents, child))
