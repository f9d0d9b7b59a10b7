"""Lines, columns and statements of a source."""

from __future__ import annotations

import ast

import pytest

from stepscope.diagnosis.source import Source, dotted_name, parse

TEXT = """\
@decorate(
    1,
)
def f(a,
      b):
    x = g(
        a,
    )

    if (x and
        b):
        y = 1  # 好
    else:
        z = 2
    try:
        w = 1
    except ValueError:
        w = 2
    return [
        lambda: 1
    ]
"""


@pytest.mark.parametrize(
    ("line", "kind", "last"),
    [
        (1, ast.FunctionDef, 5),
        (5, ast.FunctionDef, 5),
        (7, ast.Assign, 8),
        (10, ast.If, 11),
        (11, ast.If, 11),
        (12, ast.Assign, 12),
        (14, ast.Assign, 14),
        (15, ast.Try, 15),
        (18, ast.Assign, 18),
        (20, ast.Return, 21),
    ],
)
def test_a_line_belongs_to_its_innermost_statement(line: int, kind: type, last: int) -> None:
    source = Source(TEXT)
    place = source.place_at(line)
    assert place is not None
    assert type(place.statement) is kind
    assert source.last_line_of_statement(line) == last
    assert place.block[place.index] is place.statement


@pytest.mark.parametrize("line", [9, 13, 17, 22])
def test_blank_lines_and_bare_clauses_belong_to_no_statement(line: int) -> None:
    source = Source(TEXT)
    assert source.place_at(line) is None
    assert source.last_line_of_statement(line) == line


def test_columns_count_code_points() -> None:
    source = Source("名 = 'é😀'; b = 1\n")
    second = source.tree.body[1]
    assert source.start(second) == (1, 10)
    assert source.lines[0][10:] == "b = 1"
    assert source.segment(second) == "b = 1"


def test_a_form_feed_ends_no_line() -> None:
    source = Source("a = 1\n\x0cb = 2\r\nc = 3\rd = 4\n")
    assert [source.segment(s) for s in source.tree.body] == ["a = 1", "b = 2", "c = 3", "d = 4"]
    assert source.newline == "\n"
    assert Source("a\r\nb\n").newline == "\r\n"


@pytest.mark.parametrize("text", ["def (", "a\0b", "(" * 5000, "  x = 1"])
def test_a_text_that_does_not_parse_is_no_source(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("torch.cuda.synchronize", "torch.cuda.synchronize"),
        ("print", "print"),
        ("f().item", ".item"),
        ("a[0].b.c", ".b.c"),
        ("f()", ""),
        ("1", ""),
    ],
)
def test_dotted_names(expression: str, name: str) -> None:
    assert dotted_name(ast.parse(expression, mode="eval").body) == name
