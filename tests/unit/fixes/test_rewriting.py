"""Calls rewritten in real code: only the argument that is meant changes, and nothing else."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepscope.diagnosis.source import Source, parse
from stepscope.fixes import apply_edits
from stepscope.fixes.edits import unpacks
from stepscope.fixes.model import TextEdit
from stepscope.fixes.rewriting import detach, remove_keyword, set_keyword
from tests.unit.fixes.check import FILE, comments, same_tree

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
MODULES = (
    "argparse", "subprocess", "dataclasses", "logging/config", "email/message",
    "asyncio/subprocess", "json/encoder", "http/client", "zipfile", "tkinter/ttk",
    "concurrent/futures/process", "multiprocessing/context", "ctypes/util",
)  # fmt: skip


def sources() -> Iterator[tuple[str, Source]]:
    for name in MODULES:
        path = LIBRARY / f"{name}.py"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            found = Source(text)
            yield text, found


def outermost_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Calls that are in no other one, and in no f-string, whose places are not the source's."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr):
            continue
        if isinstance(child, ast.Call) and not unpacks(child):
            if not any(isinstance(argument, ast.GeneratorExp) for argument in child.args):
                yield child
        else:
            yield from outermost_calls(child)


@pytest.mark.parametrize("which", [0, -1])
def test_a_keyword_that_is_removed_is_all_that_goes(which: int) -> None:
    checked = 0
    for text, source in sources():
        edits: list[TextEdit] = []
        for call in outermost_calls(source.tree):
            if call.keywords:
                edits += remove_keyword(FILE, source, call, call.keywords[which])
                del call.keywords[which]
                checked += 1
        result = apply_edits(text, edits)
        assert same_tree(ast.parse(result), source.tree)
        assert comments(result) == comments(text)
    assert checked > 150


def test_a_keyword_that_is_set_is_all_that_comes() -> None:
    checked = 0
    for text, source in sources():
        edits: list[TextEdit] = []
        for call in outermost_calls(source.tree):
            edits += set_keyword(FILE, source, call, "fused", "True")
            call.keywords.append(ast.keyword("fused", ast.Constant(True)))
            checked += 1
        result = apply_edits(text, edits)
        assert same_tree(ast.parse(result), source.tree)
        assert comments(result) == comments(text)
    assert checked > 1000


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, retain=True)", "f(a)"),
        ("f(retain=True)", "f()"),
        ("f(retain=True, b=1)", "f(b=1)"),
        ("f(a, retain=True, b=1)", "f(a, b=1)"),
        ("f(a, retain=True,)", "f(a,)"),
        ("f(\n    a,\n    retain=True,\n)", "f(\n    a,\n)"),
        ("f(\n    a,  # first\n    retain=True,  # why\n    b=1,\n)", None),
        ("f(\n    a,\n    retain=True\n)", None),
        ("f(a,\n  retain=True)", None),
        ("f(a, retain=(\n    True), b=2)", "f(a, b=2)"),
    ],
)
def test_layouts_of_a_call_whose_argument_goes(before: str, after: str | None) -> None:
    source = parse(before)
    assert source is not None
    (call,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    (keyword,) = [k for k in call.keywords if k.arg == "retain"]
    result = apply_edits(before, remove_keyword(FILE, source, call, keyword))
    assert "retain" not in result
    assert comments(result) == comments(before)
    ast.parse(result)
    if after is not None:
        assert result == after


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("loss", "loss.detach()"),
        ("f(x)", "f(x).detach()"),
        ("loss * n", "(loss * n).detach()"),
        ("(loss * n)", "(loss * n).detach()"),
        ("losses[0]", "losses[0].detach()"),
        ("(a + b) * (c + d)", "((a + b) * (c + d)).detach()"),
    ],
)
def test_a_value_is_detached_as_a_whole(value: str, after: str) -> None:
    for form in ("total += {}", "xs.append({})"):
        text = form.format(value)
        source = parse(text)
        assert source is not None
        statement = source.tree.body[0]
        if isinstance(statement, ast.AugAssign):
            found: ast.expr = statement.value
        else:
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Call)
            found = statement.value.args[0]
        result = apply_edits(text, detach(FILE, source, found))
        assert same_tree(ast.parse(result), ast.parse(form.format(after))), result
