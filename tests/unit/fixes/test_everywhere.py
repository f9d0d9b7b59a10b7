"""Every edit in files that nobody wrote for it: a few lines are put at a random place of one.

The files are the standard library's: old and new style, decorators, strings over many lines, tabs.
"""

from __future__ import annotations

import ast
import sysconfig
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.diagnosis.source import Place, Source, parse, span
from stepscope.fixes import apply_edits, discover_fixers, fix_for
from stepscope.fixes.edits import stands_alone
from tests.unit.fixes.check import comments, finding
from tests.unit.fixes.snippets import SNIPPETS, Snippet, written

# What all fixers together may ask a finding for.
EVIDENCE = {"workers": 2, "wanted": 4, "device": "cpu", "kind": "item", "optimizer": "Adam"}


@cache
def modules() -> tuple[Path, ...]:
    """Files of the standard library that are neither tiny nor huge, and do not use our names."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    sized = (p for p in sorted(folder.glob("*.py")) if 2_000 < p.stat().st_size < 9_000)
    return tuple(p for p in sized if "import gc" not in p.read_text(encoding="utf-8"))


@cache
def insertion_lines(path: Path) -> tuple[int, tuple[int, ...]]:
    """(where the imports may begin, lines before which a statement may be put), both 1-based."""
    source = Source(path.read_text(encoding="utf-8"))
    top = _first_after_future(source.tree)
    return top, tuple(
        place.statement.lineno
        for place in source.places
        if place.statement.lineno >= top and _may_follow_another(source, place)
    )


def _first_after_future(tree: ast.Module) -> int:
    body = tree.body[1:] if ast.get_docstring(tree, clean=False) is not None else tree.body
    rest = [s for s in body if not isinstance(s, ast.ImportFrom) or s.module != "__future__"]
    return span(rest[0])[0]


def _may_follow_another(source: Source, place: Place) -> bool:
    statement = place.statement
    above = source.lines[statement.lineno - 2]
    return (
        isinstance(statement, (ast.Assign, ast.Expr, ast.Return, ast.For, ast.If))
        and statement.lineno > 1
        and not source.lines[statement.lineno - 1][: statement.col_offset].strip()
        and (stands_alone(source, place) or hasattr(statement, "body"))
        and not above.endswith("\\")
        and not source.lines[statement.lineno - 1].lstrip().startswith("elif")
    )


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.rule)
@settings(deadline=None, max_examples=3)
@given(
    module=st.integers(0, 10_000),
    where=st.integers(0, 100_000),
    unit=st.sampled_from(["    ", "  ", "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    comment=st.sampled_from(["", "# why", "# wärum (not"]),
)
def test_an_edit_changes_its_own_lines_and_nothing_else(
    snippet: Snippet, module: int, where: int, unit: str, newline: str, comment: str
) -> None:
    path = modules()[module % len(modules())]
    top, places = insertion_lines(path)
    at = places[where % len(places)]
    original = path.read_text(encoding="utf-8").split("\n")
    indent = original[at - 1][: len(original[at - 1]) - len(original[at - 1].lstrip())]

    def with_lines(template: str) -> tuple[list[str], int]:
        new, marked = written(template, indent, unit, comment)
        whole = [*original[: at - 1], *new, *original[at - 1 :]]
        whole[top - 1 : top - 1] = snippet.imports
        return whole, at + marked + len(snippet.imports)

    lines, line = with_lines(snippet.before)
    text = newline.join(lines)
    ast.parse(text)
    fix = fix_for(finding(snippet.rule, line, **snippet.evidence), text, line)
    assert fix is not None
    if snippet.rule == "explicit-synchronize" and not fix.edits:
        return  # a clock is read next to it
    assert fix.edits, fix.title
    result = apply_edits(text, fix.edits)
    tree = ast.parse(result)

    expected, line = with_lines(snippet.after)
    made = result.split(newline)
    assert not any(set(one) & set("\r\n") for one in made)
    count = len(made) - len(expected)
    if not snippet.added:
        assert made == expected
    else:
        same = next(i for i, one in enumerate(made) if expected[i : i + 1] != [one])
        assert [*made[:same], *made[same + count :]] == expected
        assert [one for one in made[same : same + count] if one.strip()] == [snippet.added]
        _check_top(tree, snippet.added)
    line += count
    again = fix_for(finding(snippet.rule, line, **snippet.evidence), result, line)
    assert again is None or not again.edits


def _check_top(tree: ast.Module, added: str) -> None:
    """The statement is there once, and only a docstring and imports come before it."""
    wanted = ast.dump(ast.parse(added).body[0])
    (index,) = [i for i, statement in enumerate(tree.body) if ast.dump(statement) == wanted]
    before = tree.body[:index]
    if ast.get_docstring(tree, clean=False) is not None:
        assert before
        del before[0]
    assert all(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in before)


def test_every_fixer_is_among_them() -> None:
    assert {snippet.rule for snippet in SNIPPETS} == set(discover_fixers())


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(0, 100_000))
def test_a_line_of_any_file_breaks_no_fixer(module: int, where: int) -> None:
    text = modules()[module % len(modules())].read_text(encoding="utf-8")
    source = parse(text)
    assert source is not None
    line = 1 + where % len(source.lines)
    for rule, make in discover_fixers().items():
        fix = make(finding(rule, line, **EVIDENCE), source, line)
        if fix is not None and fix.edits:
            result = apply_edits(text, fix.edits)
            ast.parse(result)
            assert comments(result) == comments(text)
