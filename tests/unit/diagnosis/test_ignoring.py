"""Comments that silence a rule: which they are, and the edit that writes one."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.diagnosis.ignoring import Ignored, ignore_comments, is_ignored, unknown_rules
from stepscope.fixes import apply_edits
from stepscope.fixes.ignoring import ignore_edit

FILE = "/project/train.py"
MODULES = ("textwrap", "shlex", "csv", "string", "timeit", "argparse", "this")


def written(text: str, rule: str, first: int, last: int | None = None) -> str | None:
    edit = ignore_edit(FILE, text, rule, first, last or first)
    return None if edit is None else apply_edits(text, (edit,))


def test_comments_are_read_with_their_rules_and_lines() -> None:
    text = (
        "a = 1  # stepscope: ignore\nb = '# stepscope: ignore'\nc = 2  # x # stepscope:ignore[r]\n"
    )
    assert ignore_comments(text) == (Ignored(1, None), Ignored(3, frozenset({"r"})))


def test_a_text_that_is_being_typed_counts_up_to_the_fault() -> None:
    assert ignore_comments("a = 1  # stepscope: ignore[r]\nb = (\n") == (
        Ignored(1, frozenset({"r"})),
    )


def test_any_line_of_the_statement_may_carry_the_comment() -> None:
    text = "f(\n    1,  # stepscope: ignore[r]\n)\ng()\n"
    assert is_ignored(text, "r", 1, 3)
    assert not is_ignored(text, "other", 1, 3)
    assert not is_ignored(text, "r", 4, 4)


def test_names_that_are_no_rules_are_found() -> None:
    text = "a = 1  # stepscope: ignore[known, unknown]\nb = 1  # stepscope: ignore\n"
    assert unknown_rules(text, ["known"]) == [(1, "unknown")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x)\n", "f(x)  # stepscope: ignore[r]\n"),
        ("f(x)", "f(x)  # stepscope: ignore[r]"),
        ("f(x)   # why\n", "f(x)   # why  # stepscope: ignore[r]\n"),
        ("f(x)  # stepscope: ignore[q]\n", "f(x)  # stepscope: ignore[q, r]\n"),
        ("f(x)  # stepscope: ignore[]\n", "f(x)  # stepscope: ignore[r]\n"),
        ("f(\n    x,\n)\n", "f(  # stepscope: ignore[r]\n    x,\n)\n"),
        ('f("""\n"""\n)\n', 'f("""\n"""  # stepscope: ignore[r]\n)\n'),
        ("é = 1 + \\\n  2\n", "é = 1 + \\\n  2  # stepscope: ignore[r]\n"),
        ("f(x)  # stepscope: ignore\n", None),
        ("f(\n", None),
    ],
)
def test_the_comment_is_written_where_one_can_stand(before: str, after: str | None) -> None:
    lines = before.count("\n") + (not before.endswith("\n"))
    assert written(before, "r", 1, lines) == after


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_end_of_the_line_stays_as_it_is(newline: str) -> None:
    text = newline.join(["a = 1", "b = 2", ""])
    assert written(text, "r", 2) == newline.join(["a = 1", "b = 2  # stepscope: ignore[r]", ""])


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(MODULES), st.integers(0, 10_000))
def test_any_statement_of_any_file_can_be_ignored_without_changing_the_program(
    name: str, number: int
) -> None:
    text = Path(sysconfig.get_paths()["stdlib"], f"{name}.py").read_text(encoding="utf-8")
    statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    chosen = statements[number % len(statements)]
    first, last = chosen.lineno, chosen.end_lineno or chosen.lineno
    after = written(text, "r", first, last)
    assert after is not None
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    assert is_ignored(after, "r", first, last)
    both = written(after, "q", first, last)
    assert both is not None
    assert is_ignored(both, "r", first, last)
    assert is_ignored(both, "q", first, last)
