"""Text edits that several fixes share: inserting, wrapping a block, applying."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Position, Source, calls, dotted_name, header
from stepscope.fixes.model import Fix, TextEdit

_DEFAULT_INDENT = "    "


def replace(file: str, start: Position, end: Position, text: str) -> TextEdit:
    """Replace what stands between two positions."""
    return TextEdit(file, *start, *end, text)


def insert(file: str, at: Position, text: str) -> TextEdit:
    """Insert at a position."""
    return TextEdit(file, *at, *at, text)


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """``text`` with ``edits`` made; their positions all refer to ``text`` as it is given.

    As in the Language Server Protocol, edits do not overlap, and several insertions in one place
    come out in their given order.
    """
    starts = _line_starts(text)
    result = text
    placed = [
        (
            starts[edit.start_line - 1] + edit.start_column,
            starts[edit.end_line - 1] + edit.end_column,
            edit.new_text,
        )
        for edit in edits
    ]
    placed.sort(key=lambda item: item[:2])
    for start, end, new in reversed(placed):
        result = result[:start] + new + result[end:]
    return result


def stands_alone(source: Source, place: Place) -> bool:
    """Whether nothing but white space and a comment shares the statement's lines."""
    statement = place.statement
    first, left = source.start(statement)
    last, right = source.end(statement)
    before = source.lines[first - 1][:left]
    after = source.lines[last - 1][right:].strip(" \t\f")
    continued = first > 1 and source.lines[first - 2].endswith("\\")
    return not before.strip(" \t\f") and (not after or after.startswith("#")) and not continued


def call_statement(place: Place) -> str:
    """The dotted name of a call that is a statement of its own; ``""`` for other statements."""
    statement = place.statement
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return ""
    return dotted_name(statement.value.func)


def unpacks(call: ast.Call) -> bool:
    """Whether arguments of the call stand elsewhere (``*args``, ``**options``)."""
    return any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(argument, ast.Starred) for argument in call.args
    )


def removed_call(
    finding: Finding, source: Source, line: int, called: str, advice: str
) -> Fix | None:
    """The call of what is ``called`` so, alone on its line, is removed; elsewhere ``advice``.

    ``called`` is a dotted name or, with a dot in front, the end of one. None where the line has no
    such call any more.
    """
    places = source.places_at(line)
    for place in places:
        name = call_statement(place)
        if name == called or (called.startswith(".") and name.endswith(called)):
            edit = remove_statement(finding.file, source, place)
            if edit is not None:
                return Fix(f"Remove {name}()", (edit,))
    names = {
        dotted_name(call.func).rpartition(".")[2]
        for place in places
        for part in header(place.statement)
        for call in calls(part)
    }
    return Fix(advice, ()) if called.rpartition(".")[2] in names else None


def remove_statement(file: str, source: Source, place: Place) -> TextEdit | None:
    """Take a statement out with its line; None where it shares its lines with others.

    A comment behind it stays, in its place; the only statement of a block becomes ``pass``.
    """
    if not stands_alone(source, place):
        return None
    start, end = source.start(place.statement), source.end(place.statement)
    if len(place.block) == 1:
        return replace(file, start, end, "pass")
    rest = source.lines[end[0] - 1][end[1] :]
    if rest.strip():
        return replace(file, start, (end[0], end[1] + len(rest) - len(rest.lstrip())), "")
    if end[0] < len(source.lines):
        return replace(file, (start[0], 0), (end[0] + 1, 0), "")
    return replace(file, (start[0], 0), (end[0], end[1] + len(rest)), "")


def positions_are_true(source: Source, node: ast.expr) -> bool:
    """Whether the node's positions are those of the text.

    Before Python 3.12 those of what stands inside an f-string are not.
    """
    return id(node) not in source.in_strings


def add_argument(file: str, source: Source, call: ast.Call, argument: str) -> tuple[TextEdit, ...]:
    """Insert ``argument`` as the last one of a call that has some, in the layout of those.

    Not for a call whose only argument is a generator without parentheses of its own.
    """
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    last = max(arguments, key=source.end)
    end, comma = _end_of_argument(source, source.end(last), source.end(call))
    start_line, start_column = source.start(last)
    close_line = source.end(call)[0]
    after = comma or end
    own_line = start_line > source.end(call.func)[0] and not source.lines[start_line - 1][
        :start_column
    ].strip(" \t(")
    if not own_line:
        if comma:
            return (insert(file, comma, f" {argument},"),)
        return (insert(file, end, f", {argument}"),)
    new_line = source.newline + source.indent(start_line) + argument
    if after[0] == close_line:
        return (insert(file, after, new_line + "," if comma else "," + new_line),)
    # A comment behind the last argument is about that argument and stays with it.
    end_of_line = (after[0], len(source.lines[after[0] - 1]))
    if comma:
        return (insert(file, end_of_line, new_line + ","),)
    if end == end_of_line:
        return (insert(file, end, "," + new_line),)
    return (insert(file, end, ","), insert(file, end_of_line, new_line))


def wrap(
    source: Source, file: str, first: Place, last: ast.stmt, header: str
) -> tuple[TextEdit, ...]:
    """Put the lines from ``first`` to ``last`` (of one block) under ``header``, indented.

    Comments and blank lines between stay; the insides of multi-line strings are not touched.
    """
    line, column = source.start(first.statement)
    end_line, _ = source.end(last)
    outer = source.indent(line)
    unit = indent_unit(source, first)
    kept = set(_lines_inside_strings(source))
    edits = [insert(file, (line, column), f"{header}{source.newline}{outer}{unit}")]
    for number in range(line + 1, end_line + 1):
        text = source.lines[number - 1]
        if number not in kept and text.strip(" \t\f"):
            # Behind the block's own indentation, so that tabs and spaces keep their order.
            at = len(outer) if text.startswith(outer) else 0
            edits.append(insert(file, (number, at), unit))
    return tuple(edits)


def indent_unit(source: Source, place: Place) -> str:
    """One level of indentation as the source has it around ``place``."""
    inner = source.indent(place.statement.lineno)
    for parent in reversed(place.parents):
        if isinstance(parent, ast.stmt):
            outer = source.indent(parent.lineno)
            if inner.startswith(outer) and len(inner) > len(outer):
                return inner[len(outer) :]
    for other in source.places:
        indent = source.indent(other.statement.lineno)
        if other.parents and indent:
            return indent
    return _DEFAULT_INDENT


def _end_of_argument(
    source: Source, end: Position, close: Position
) -> tuple[Position, Position | None]:
    """(behind the last argument with its parentheses, behind the trailing comma or None).

    ``end`` is where the argument's own node ends, ``close`` where the call ends.
    """
    comma: Position | None = None
    for behind, letter in letters_of_call(source, end, close):
        if letter == ")":
            end = behind
        elif letter == ",":
            comma = behind
    return end, comma


def letters_of_call(
    source: Source, after: Position, close: Position
) -> Iterator[tuple[Position, str]]:
    """(position just behind it, letter) of what follows ``after`` in a call, without comments.

    ``close`` is where the call ends, just behind its parenthesis, which is left out.
    """
    line, column = after
    while (line, column) < (close[0], close[1] - 1):
        text = source.lines[line - 1]
        if column >= len(text) or text[column] == "#":
            line, column = line + 1, 0
            continue
        column += 1
        yield (line, column), text[column - 1]


def _lines_inside_strings(source: Source) -> Iterator[int]:
    """Lines that may begin inside a string, so that indenting them could change it.

    Strings joined over several lines of one expression count as well: their lines need no
    indentation, being inside parentheses.
    """
    for node in ast.walk(source.tree):
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
        ):
            yield from range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    index = 0
    while index < len(text):
        if text[index] == "\r" and text[index + 1 : index + 2] == "\n":
            index += 1
        if text[index] in "\r\n":
            starts.append(index + 1)
        index += 1
    return starts
