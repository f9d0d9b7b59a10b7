"""The edits themselves, over sources that nobody wrote for them: the standard library's."""

from __future__ import annotations

import ast
import sysconfig
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.diagnosis.source import Source
from stepscope.fixes import apply_edits, fix_for
from stepscope.fixes.edits import add_argument, insert, replace, stands_alone, wrap
from stepscope.fixes.model import TextEdit
from tests.unit.fixes.check import FILE, comments, finding, same_tree

# Chosen for their layouts: old and new style, tabs of code in strings, tables, long calls.
MODULES = ("textwrap", "shlex", "sched", "colorsys", "fnmatch", "csv", "string", "timeit", "this")


@cache
def stdlib_source(name: str) -> Source:
    path = Path(sysconfig.get_paths()["stdlib"], f"{name}.py")
    return Source(path.read_text(encoding="utf-8"))


def numbered() -> st.SearchStrategy[tuple[str, int]]:
    return st.tuples(st.sampled_from(MODULES), st.integers(0, 10_000))


class WithoutExtra(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [k for k in node.keywords if k.arg != "num_workers"]
        return node

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.body if "autocast" in ast.dump(node.items[0]) else node


@settings(deadline=None, max_examples=30)
@given(numbered())
def test_an_argument_can_be_added_to_any_call(choice: tuple[str, int]) -> None:
    source = stdlib_source(choice[0])
    strings = {
        id(part)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    found = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and (node.args or node.keywords)
        and not (len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp))
        and id(node) not in strings
    ]
    if not found:
        return
    call = found[choice[1] % len(found)]
    result = apply_edits(source.text, add_argument(FILE, source, call, "num_workers=3"))
    after = ast.parse(result)
    assert "num_workers" in ast.dump(after)
    assert same_tree(WithoutExtra().visit(after), source.tree)
    assert comments(result) == comments(source.text)


@settings(deadline=None, max_examples=30)
@given(numbered(), st.integers(0, 3))
def test_any_simple_statements_can_be_wrapped(choice: tuple[str, int], more: int) -> None:
    source = stdlib_source(choice[0])
    found = [
        place
        for place in source.places
        if isinstance(place.statement, (ast.Assign, ast.Expr, ast.Return))
        and stands_alone(source, place)
    ]
    first = found[choice[1] % len(found)]
    last = first
    for other in found:
        inside = other.block is first.block and 0 <= other.index - first.index <= more
        between = first.block[first.index : other.index] if inside else []
        if inside and not any(hasattr(statement, "body") for statement in between):
            last = other
    edits = wrap(source, FILE, first, last.statement, "with autocast():")
    result = apply_edits(source.text, edits)
    assert same_tree(WithoutExtra().visit(ast.parse(result)), source.tree)
    assert comments(result) == comments(source.text)
    assert len(result.split("\n")) == len(source.lines) + 1


@settings(deadline=None, max_examples=30)
@given(numbered(), st.sampled_from(["slow-input", "autocast", "sync-in-step"]))
def test_no_line_of_any_file_breaks_a_fixer(choice: tuple[str, int], rule: str) -> None:
    source = stdlib_source(choice[0])
    line = 1 + choice[1] % len(source.lines)
    fix = fix_for(finding(rule, line, workers=2, device="cpu", kind="item"), source.text, line)
    if fix is not None and fix.edits:
        ast.parse(apply_edits(source.text, fix.edits))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_positions_are_lines_and_code_points(newline: str) -> None:
    text = newline.join(["é😀 = 1", "b = 2", "c"])
    edits = [
        replace(FILE, (1, 5), (1, 6), "9"),
        replace(FILE, (2, 0), (3, 0), ""),
        insert(FILE, (3, 1), "!"),
    ]
    assert apply_edits(text, edits) == newline.join(["é😀 = 9", "c!"])


def test_insertions_in_one_place_come_out_in_their_order() -> None:
    edits = [insert(FILE, (1, 0), "a"), insert(FILE, (1, 0), "b"), insert(FILE, (1, 1), "c")]
    assert apply_edits("xy", edits) == "abxcy"


def test_edits_are_one_based_lines_and_zero_based_columns() -> None:
    assert insert(FILE, (3, 1), "x") == TextEdit(FILE, 3, 1, 3, 1, "x")


def test_an_edit_that_would_break_the_source_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "stepscope.fixes.loader_calls.add_argument",
        lambda file, *_: (insert(file, (1, 0), ")"),),
    )
    fix = fix_for(finding("slow-input", 1, workers=2), "x = DataLoader(ds)\n", 1)
    assert fix is not None
    assert fix.edits == ()
