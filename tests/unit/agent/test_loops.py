"""Loops around a line, from the source."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from stepscope.agent.loops import LoopIndex, with_pass_calls


def loops(source: str, line: int) -> list[tuple[int, int, tuple[int, int]]]:
    index = LoopIndex()
    index.know("train.py", textwrap.dedent(source).lstrip("\n").encode())
    return [(loop.line, loop.end_line, loop.mark) for loop in index.enclosing("train.py", line)]


NESTED = """
for epoch in range(2):
    before = 1
    for batch in range(3):
        inside = 1
    after = 1
outside = 1
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (2, [(1, 5, (1, 1))]),
        (3, [(3, 4, (3, 3)), (1, 5, (1, 1))]),
        (4, [(3, 4, (3, 3)), (1, 5, (1, 1))]),
        (5, [(1, 5, (1, 1))]),
        (6, []),
    ],
)
def test_innermost_first(line: int, expected: list[object]) -> None:
    assert loops(NESTED, line) == expected


def test_a_function_inside_a_loop_is_not_in_it() -> None:
    source = """
    for x in range(3):
        def inside():
            return 1
        also = lambda: (
            2
        )
    """
    assert loops(source, 3) == []
    assert loops(source, 5) == []


def test_a_header_over_several_lines() -> None:
    source = """
    for x in enumerate(
        range(3),
    ):
        body = 1
    """
    assert loops(source, 4) == [(1, 4, (1, 3))]


def test_a_loop_without_a_condition_begins_with_its_body() -> None:
    source = """
    while True:
        value = (
            1
        )
        other = 2
    """
    assert loops(source, 5) == [(1, 5, (2, 4))]


def test_a_while_loop_with_a_condition() -> None:
    assert loops("x = 3\nwhile x:\n    x -= 1\n", 3) == [(2, 3, (2, 2))]


def test_async_loops() -> None:
    source = """
    async def train(stream):
        async for x in stream:
            step = 1
    """
    assert loops(source, 3) == [(2, 3, (2, 2))]


def test_a_method_of_a_class_inside_a_loop() -> None:
    source = """
    for x in range(3):
        class Model:
            size = 1
            def forward(self):
                for layer in range(2):
                    y = 1
    """
    assert loops(source, 3) == [(1, 6, (1, 1))]
    assert loops(source, 6) == [(5, 6, (5, 5))]


@pytest.mark.parametrize("text", [b"for x in", b"\xff\xfe", b"x = '\0'"])
def test_what_cannot_be_parsed_has_no_loops(text: bytes) -> None:
    index = LoopIndex()
    index.know("train.py", text)
    assert index.enclosing("train.py", 1) == []


def test_a_file_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("# -*- coding: latin-1 -*-\nfor x in 'ab':\n    pass\n")
    index = LoopIndex()
    assert [loop.line for loop in index.enclosing(str(path), 3)] == [2]
    assert index.enclosing(str(tmp_path / "none.py"), 1) == []


@pytest.mark.parametrize(("line", "passes"), [(1, 2), (3, 6), (2, 0)])
def test_each_pass_of_the_named_loop_calls(line: int, passes: int) -> None:
    calls: list[int] = []
    tree = with_pass_calls(NESTED.lstrip("\n").encode(), line, "told")
    exec(compile(tree, "train.py", "exec"), {"told": lambda: calls.append(1)})
    assert len(calls) == passes


def test_the_call_adds_no_line_event() -> None:
    source = NESTED.lstrip("\n").encode()

    def lines(code: object) -> list[int]:
        seen: list[int] = []

        def local(frame: object, event: str, arg: object) -> object:
            if event == "line":
                seen.append(frame.f_lineno)  # type: ignore[attr-defined]
            return local

        def trace(frame: object, event: str, arg: object) -> object:
            named = frame.f_code.co_filename == "train.py"  # type: ignore[attr-defined]
            return local if named else None

        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            exec(code, {"told": int})  # type: ignore[arg-type]
        finally:
            sys.settrace(before)
        return seen

    plain = lines(compile(source, "train.py", "exec"))
    assert plain == lines(compile(with_pass_calls(source, 3, "told"), "train.py", "exec"))


def test_a_loop_is_found_by_its_header() -> None:
    index = LoopIndex()
    index.know("train.py", NESTED.lstrip("\n").encode())
    loop = index.starting_at("train.py", 3)
    assert loop is not None
    assert (loop.line, loop.end_line) == (3, 4)
    assert index.starting_at("train.py", 4) is None


@pytest.mark.parametrize(
    "line", ["[step(x) for x in data]", "{step(x) for x in data}", "list(step(x) for x in data)"]
)
def test_a_comprehension_is_a_loop_whose_passes_cannot_be_seen(line: str) -> None:
    assert loops(f"for epoch in range(2):\n    {line}\n", 2) == [(2, 2, (0, -1)), (1, 2, (1, 1))]


@pytest.mark.parametrize(
    ("first", "mark"),
    [
        ("try:\n        a = 1\n        b = 2\n    except E:\n        pass", (2, 2)),
        ("with one as a, \\\n            two as b:\n        c = 1", (2, 3)),
        ("if a:\n        b = 1\n    else:\n        c = 1", (2, 2)),
        ("for x in y:\n        a = 1\n        b = 1", (2, 4)),
        ("a = [\n        1,\n    ]", (2, 4)),
    ],
)
def test_a_pass_of_while_true_begins_where_its_first_statement_begins(
    first: str, mark: tuple[int, int]
) -> None:
    """And not again and again inside that statement, nor never because it is the whole body."""
    assert loops(f"while True:\n    {first}\n", 2)[-1][2] == mark


@pytest.mark.parametrize(
    "loop", ["for x in y: step(x)", "while True: step()", "while a: a = step()"]
)
def test_a_loop_on_one_line_shows_no_passes(loop: str) -> None:
    index = LoopIndex()
    index.know("train.py", loop.encode())
    assert [found.shows_passes for found in index.enclosing("train.py", 1)] == [False]


def test_a_comprehension_cannot_be_chosen() -> None:
    index = LoopIndex()
    index.know("train.py", b"a = [step(x) for x in y]\nfor x in [2 * x for x in y]:\n    step(x)\n")
    assert index.starting_at("train.py", 1) is None
    found = index.starting_at("train.py", 2)
    assert found is not None
    assert found.mark == (2, 2)
