"""What every fix must keep, checked in one place.

A source marks the line of the finding with ``# <--`` at its end; the mark is taken out first.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from typing import Any

from stepscope.diagnosis.finding import Finding, Severity
from stepscope.fixes import apply_edits, fix_for
from stepscope.fixes.model import Fix

FILE = "/project/train.py"
MARK = "# <--"


def finding(rule: str, line: int, **evidence: Any) -> Finding:
    return Finding(
        rule=rule,
        file=FILE,
        line=line,
        end_line=line,
        severity=Severity.WARNING,
        message="",
        evidence=evidence,
    )


def unmarked(source: str) -> tuple[str, int]:
    """``source`` without its mark, dedented, and the 1-based line that carried it."""
    text = textwrap.dedent(source).lstrip("\n")
    lines = text.split("\n")
    (index,) = [i for i, line in enumerate(lines) if line.rstrip().endswith(MARK)]
    lines[index] = lines[index].rstrip()[: -len(MARK)].rstrip()
    return "\n".join(lines), index + 1


def fixed(rule: str, text: str, line: int, **evidence: Any) -> str | None:
    """``text`` after the fix, None if there is no edit. Checks what holds for all edits."""
    fix = fix_for(finding(rule, line, **evidence), text, line)
    if fix is None or not fix.edits:
        return None
    assert fix.title
    assert {edit.file for edit in fix.edits} == {FILE}
    result = apply_edits(text, fix.edits)
    assert result != text
    ast.parse(result)
    return result


def check_fix(rule: str, source: str, expected: str, **evidence: Any) -> None:
    """The fix makes ``expected`` of ``source``, whatever ends its lines, and only once."""
    text, line = unmarked(source)
    wanted = textwrap.dedent(expected).lstrip("\n")
    assert fixed(rule, text, line, **evidence) == wanted
    windows = text.replace("\n", "\r\n")
    assert fixed(rule, windows, line, **evidence) == wanted.replace("\n", "\r\n")
    shift = next(
        (n for n in range(5) if _same_statement(text, line, wanted, line + n)),
        0,
    )
    assert fixed(rule, wanted, line + shift, **evidence) is None


def check_advice(rule: str, source: str, words: str, **evidence: Any) -> None:
    """No edit, but a title that contains ``words``."""
    fix = advice(rule, source, **evidence)
    assert fix is not None
    assert fix.edits == ()
    assert words in fix.title


def check_none(rule: str, source: str, **evidence: Any) -> None:
    """Neither an edit nor advice."""
    assert advice(rule, source, **evidence) is None


def advice(rule: str, source: str, **evidence: Any) -> Fix | None:
    text, line = unmarked(source)
    return fix_for(finding(rule, line, **evidence), text, line)


def line_ends(text: str) -> set[str]:
    """The kinds of line breaks in ``text``."""
    return set(re.findall(r"\r\n|\r|\n", text))


def comments(text: str) -> list[str]:
    """Every comment of ``text``, in order."""
    tokens = tokenize.generate_tokens(io.StringIO(text.replace("\r\n", "\n")).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def same_tree(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees mean the same program, wherever it stands in its file."""
    return ast.dump(one) == ast.dump(other)


def _same_statement(before: str, line: int, after: str, moved: int) -> bool:
    lines = after.split("\n")
    return moved <= len(lines) and before.split("\n")[line - 1].strip() == lines[moved - 1].strip()
