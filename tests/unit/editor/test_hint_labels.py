"""Texts at the ends of lines: what they say, and that their figures stand under one another."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.editor.hint_labels import LONGEST, Label, aligned, cells, label_of
from stepscope.editor.staleness import Place
from tests import factories as make

HERE = Place(11, changed=False)
EDITED = Place(11, changed=True)


def say(precision: str, place: Place = HERE, ms: float = 12.3, **fields: Any) -> str:
    line = make.line(11, ms, live_at_peak_bytes=96_000_000, **fields)
    return aligned([label_of(make.profile([line]), line, place, "x = 1", precision)]).get(11, "")


@pytest.mark.parametrize(
    ("precision", "text"),
    [("full", "41 % · 12.3 ms · ↑ 96 MB"), ("share", "41 %"), ("off", "")],
)
def test_three_precisions(precision: str, text: str) -> None:
    assert say(precision) == text


def test_a_changed_line_says_when_it_was_measured_and_not_what_it_held() -> None:
    assert say("full", EDITED) == "41 % · 12.3 ms · 2026-01-02, before edit"
    assert say("share", EDITED) == "41 % · 2026-01-02, before edit"
    assert say("full", EDITED, ms=0.0) == "↑ 96 MB · 2026-01-02, before edit"
    assert all(len(say("full", EDITED, ms=ms)) <= LONGEST for ms in (0.0, 12.3, 29.9))


def test_a_line_with_memory_alone_has_no_share_to_show() -> None:
    assert say("full", ms=0.0) == "↑ 96 MB"
    assert say("share", ms=0.0) == ""


def test_of_a_memory_snapshot_the_share_is_of_the_peak() -> None:
    profile = make.memory_only().profile
    (line,) = profile.lines
    assert aligned([label_of(profile, line, HERE, "", "share")]) == {11: "48 % of the peak"}
    assert aligned([label_of(profile, line, HERE, "", "full")]) == {11: "↑ 96 MB"}


def shown(*labels: tuple[int, str, str, str]) -> list[str]:
    """The rows of a screen: code (given as its text) and hint behind it."""
    made = [Label(line, cells(code), share, cost) for line, code, share, cost in labels]
    texts = aligned(made)
    return [f"{code} {texts[line]}" for line, code, _, _ in labels]


def test_figures_of_neighbours_stand_under_one_another() -> None:
    assert shown(
        (4, "a = conv(x)", "41 %", "12.3 ms"),
        (5, "bb = relu(a)", "7 %", "2.00 ms"),
        (6, "return a", "<1 %", "200 µs"),
    ) == [
        "a = conv(x)  41 % · 12.3 ms",
        "bb = relu(a)  7 % · 2.00 ms",
        "return a     <1 % ·  200 µs",
    ]  # fmt: skip


def test_a_wide_character_takes_two_cells() -> None:
    rows = shown((1, "s = '深い'", "41 %", "1.00 ms"), (2, "s = 'abcd'", "9 %", "1.00 ms"))
    assert rows == ["s = '深い' 41 % · 1.00 ms", "s = 'abcd'  9 % · 1.00 ms"]
    assert cells("e\u0301") == 1


def test_lines_far_from_one_another_are_blocks_of_their_own() -> None:
    rows = shown((1, "short", "41 %", "12.3 ms"), (9, "a longer line", "7 %", "200 µs"))
    assert rows == ["short 41 % · 12.3 ms", "a longer line 7 % · 200 µs"]


def test_no_hint_gets_longer_than_the_editor_shows() -> None:
    labels = [Label(n, 10 * n, "41 %", "12.3 ms") for n in range(1, 8)]
    texts = aligned(labels)
    assert len(texts) == 7
    assert max(map(len, texts.values())) <= LONGEST
    # As far as there is room, each begins where its neighbours do.
    assert {10 * n + text.index("41") for n, text in texts.items()} == {30, 60, 70}


def test_the_width_of_tabs_is_not_guessed() -> None:
    texts = aligned([Label(1, None, "41 %", "1.00 ms"), Label(2, 3, "7 %", "1.00 ms")])
    assert texts == {1: "41 % · 1.00 ms", 2: " 7 % · 1.00 ms"}
