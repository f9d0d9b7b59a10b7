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
