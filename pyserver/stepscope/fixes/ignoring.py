"""The comment that silences one rule on one statement, as an edit."""

from __future__ import annotations

import io
import tokenize

from stepscope.diagnosis.ignoring import COMMENT
from stepscope.fixes.edits import insert, replace
from stepscope.fixes.model import TextEdit


def ignore_edit(file: str, text: str, rule: str, first: int, last: int) -> TextEdit | None:
    """Write ``# stepscope: ignore[rule]`` at the end of a line from ``first`` to ``last``.

    The rule joins a list that is there already. None where the text cannot be read, and where no
    line can end in a comment: inside a string, before a continued line.
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    lines = io.StringIO(text, newline="").read().splitlines(keepends=False)
    ends: dict[int, int] = {}  # line -> where its comment may begin
    for token in tokens:
        if token.type == tokenize.COMMENT and first <= token.start[0] <= last:
            listed = COMMENT.search(token.string)
            if listed is not None:
                return _joined(file, token, listed.span("rules"), rule)
        if token.type in (tokenize.NEWLINE, tokenize.NL) and first <= token.start[0] <= last:
            ends.setdefault(token.start[0], token.start[1])
    if not ends:
        return None
    line = min(ends)
    if line > len(lines):
        return None
    return insert(file, (line, ends[line]), f"  # stepscope: ignore[{rule}]")


def _joined(
    file: str, comment: tokenize.TokenInfo, names: tuple[int, int], rule: str
) -> TextEdit | None:
    begin, end = names
    if begin < 0:
        return None  # everything is ignored already
    line, column = comment.start
    listed = comment.string[begin:end].strip()
    both = f"{listed}, {rule}" if listed else rule
    return replace(file, (line, column + begin), (line, column + end), both)
