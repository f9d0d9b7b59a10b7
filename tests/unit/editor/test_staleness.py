from __future__ import annotations

import pytest

from stepscope.editor.staleness import LineMap, Place
from stepscope.editor.text import statement_spans
from stepscope.report.source import split_lines

BEFORE = """\
import torch

def step(x, y):
    a = torch.mm(x, y)
    b = torch.add(
        a,
        y,
    )
    return a + b

step(1, 2)
"""


def place(text: str, after: str) -> Place | None:
    """Where the measured line that contains ``text`` is in ``after``."""
    (line,) = [n for n, source in enumerate(BEFORE.split("\n"), 1) if text in source]
    return LineMap(BEFORE, after).current(line)


def test_an_unedited_text_maps_to_itself() -> None:
    lines = LineMap(BEFORE, BEFORE)
    assert lines.current(4) == Place(4, changed=False)
    assert lines.measured(4) == 4


def test_line_ends_and_trailing_space_are_no_edit() -> None:
    windows = BEFORE.replace("\n", "  \r\n")
    assert LineMap(BEFORE, windows).current(9) == Place(9, changed=False)


def test_lines_move_with_an_insertion_above() -> None:
    after = "# one\n# two\n" + BEFORE
    assert place("torch.mm", after) == Place(6, changed=False)
    assert place("step(1, 2)", after) == Place(13, changed=False)


def test_an_edited_line_is_changed_and_its_neighbours_are_not() -> None:
    after = BEFORE.replace("torch.mm(x, y)", "torch.mm(x, y.T)")
    assert place("torch.mm", after) == Place(4, changed=True)
    assert place("return", after) == Place(9, changed=False)


def test_an_edited_line_is_found_beside_a_new_one() -> None:
    after = BEFORE.replace("    a = torch.mm(x, y)", "    z = 1\n    a = torch.mm(x, y, out=z)")
    lines = LineMap(BEFORE, after)
    assert lines.current(4) == Place(5, changed=True)
    assert lines.measured(4) is None


def test_a_deleted_line_has_no_place() -> None:
    after = BEFORE.replace("    a = torch.mm(x, y)\n", "")
    assert place("torch.mm", after) is None
    assert place("return", after) == Place(8, changed=False)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(("        y,\n", "        y.T,\n"), id="argument changed"),
        pytest.param(("        y,\n", "        y,\n        out=a,\n"), id="argument added"),
        pytest.param(("        y,\n", ""), id="argument removed"),
    ],
)
def test_a_statement_is_changed_with_any_of_its_lines(edit: tuple[str, str]) -> None:
    found = place("torch.add(", BEFORE.replace(*edit))
    assert found == Place(5, changed=True)


def test_an_edited_body_leaves_its_header_alone() -> None:
    after = BEFORE.replace("torch.mm(x, y)", "torch.mm(y, x)")
    assert place("def step", after) == Place(3, changed=False)


def test_a_text_that_does_not_parse_still_moves() -> None:
    assert place("torch.mm", "def broken(:\n" + BEFORE) == Place(5, changed=False)


def test_an_emptied_file_has_no_places() -> None:
    assert place("torch.mm", "") is None


def test_a_range_is_unchanged_only_as_a_whole() -> None:
    moved = LineMap(BEFORE, "\n" + BEFORE)
    assert moved.unchanged(5, 8) == Place(6, changed=False)
    edited = LineMap(BEFORE, BEFORE.replace("        y,\n", "        y.T,\n"))
    assert edited.unchanged(5, 8) is None
    split = LineMap(BEFORE, BEFORE.replace("    )\n", "\n    )\n"))
    assert split.unchanged(5, 8) is None


def test_lines_break_where_python_breaks_them() -> None:
    assert split_lines("a\x0cb\r\nc\rd\u2028e\nf") == ["a\x0cb", "c", "d\u2028e", "f"]


def test_spans_are_of_statements_and_of_headers() -> None:
    text = (
        "@deco(\n    1)\ndef f(a,\n      b):\n    # note\n    return (a +\n            b)\n"
        "for x in [\n  1]:\n    pass\n"
    )
    spans = statement_spans(text)
    assert spans[1] == spans[4] == (1, 4)
    assert spans[6] == spans[7] == (6, 7)
    assert spans[8] == spans[9] == (8, 9)
    assert 5 not in spans
    assert 10 not in spans


def test_spans_of_a_broken_text_are_empty() -> None:
    assert statement_spans("def (:\n") == {}
