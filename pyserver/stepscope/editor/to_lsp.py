"""Conversion to the protocol's types.

The only place that counts lines from 0 and columns in the client's units. Inside, lines are
1-based and columns are Unicode code points.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from stepscope.diagnosis.finding import Severity
from stepscope.fixes.model import TextEdit

Encoding = types.PositionEncodingKind | str

SEVERITIES = {
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def to_line(position: types.Position) -> int:
    """1-based line of a position."""
    return position.line + 1


def to_lines(range_: types.Range) -> tuple[int, int]:
    """First and last 1-based line that a range touches."""
    return range_.start.line + 1, range_.end.line + 1


def units(text: str, encoding: Encoding) -> int:
    """Length of ``text`` in the units of ``encoding``."""
    if encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def to_position(lines: Sequence[str], line: int, column: int, encoding: Encoding) -> types.Position:
    """Position of a 1-based line and a column in code points; past the end means the end."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return types.Position(line=line - 1, character=units(text[:column], encoding))


def line_end(lines: Sequence[str], line: int, encoding: Encoding) -> types.Position:
    """Position after the last character of a 1-based line."""
    return to_position(lines, line, len(lines[line - 1]), encoding)


def line_start(line: int) -> types.Range:
    """Empty range at the start of a 1-based line."""
    position = types.Position(line=line - 1, character=0)
    return types.Range(start=position, end=position)


def code_range(lines: Sequence[str], first: int, last: int, encoding: Encoding) -> types.Range:
    """From the first to the last character of the code on 1-based lines ``first`` to ``last``."""
    last = min(last, len(lines))
    opening, closing = lines[first - 1], lines[last - 1]
    indent = len(opening) - len(opening.lstrip())
    return types.Range(
        start=to_position(lines, first, indent, encoding),
        end=to_position(lines, last, len(closing.rstrip()), encoding),
    )


def to_text_edit(lines: Sequence[str], edit: TextEdit, encoding: Encoding) -> types.TextEdit:
    """An edit of the text whose lines are ``lines``."""
    return types.TextEdit(
        range=types.Range(
            start=to_position(lines, edit.start_line, edit.start_column, encoding),
            end=to_position(lines, edit.end_line, edit.end_column, encoding),
        ),
        new_text=edit.new_text,
    )
