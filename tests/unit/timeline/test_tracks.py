"""Line-clock events -> the innermost user line of each thread over time."""

from __future__ import annotations

from itertools import pairwise

import pytest

from stepscope.timeline.model import NOWHERE, Track
from stepscope.timeline.tracks import LoopMark, Places, build_tracks

MAIN, OTHER = 100, 200
F, G, H = range(3)
CODES = [
    {"file": "/p/train.py", "function": "f", "first_line": 1},
    {"file": "/p/train.py", "function": "g", "first_line": 50},
    {"file": "/p/model.py", "function": "h", "first_line": 1},
]
ENTER, LEAVE = 0, -1

Row = tuple[int, int, int, int]


def tracks(rows: list[Row], loop: LoopMark | None = None) -> tuple[dict[int, Track], Places]:
    places = Places(CODES)
    names = ("time", "thread", "code", "line")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return build_tracks(columns, places, loop), places


def told(rows: list[Row], thread: int = MAIN) -> list[tuple[int, int | None]]:
    """(time, line) of each segment."""
    found, places = tracks(rows)
    track = found[thread]
    return [
        (start, None if at == NOWHERE else places.all[at].line)
        for start, at in zip(track.starts, track.places, strict=True)
    ]


def main(*rows: tuple[int, int, int]) -> list[Row]:
    return [(time, MAIN, code, line) for time, code, line in rows]


def test_a_call_and_its_return() -> None:
    rows = main((0, F, ENTER), (1, F, 2), (5, G, ENTER), (7, G, 51), (9, G, LEAVE), (12, F, 3))
    # Between entering and the first line it is still the caller's line.
    assert told(rows) == [(1, 2), (7, 51), (9, 2), (12, 3)]


def test_the_outermost_frame_leaves_nothing_behind() -> None:
    assert told(main((0, F, ENTER), (1, F, 2), (4, F, LEAVE))) == [(1, 2), (4, None)]


def test_a_frame_without_a_line_is_its_callers() -> None:
    rows = main((0, F, ENTER), (1, F, 2), (2, G, ENTER), (3, H, ENTER), (4, H, 9), (5, H, LEAVE))
    assert told(rows)[-1] == (5, 2)


def test_recursion() -> None:
    rows = main(
        (0, F, ENTER), (1, F, 2), (2, F, ENTER), (3, F, 2), (4, F, 3), (5, F, LEAVE), (6, F, 4),
        (7, F, LEAVE),
    )  # fmt: skip
    assert told(rows) == [(1, 2), (3, 2), (4, 3), (5, 2), (6, 4), (7, None)]


def test_a_generator_goes_on_in_the_line_of_its_yield() -> None:
    rows = main(
        (0, F, ENTER), (1, F, 2), (2, G, ENTER), (3, G, 55), (4, G, LEAVE), (5, F, 3),
        (6, G, -1 - 55), (8, G, 56), (9, G, LEAVE),
    )  # fmt: skip
    assert told(rows) == [(1, 2), (3, 55), (4, 2), (5, 3), (6, 55), (8, 56), (9, 3)]


def test_going_on_is_no_call_of_the_line() -> None:
    found, places = tracks(main((0, G, ENTER), (1, G, 55), (2, G, LEAVE), (3, G, -1 - 55)))
    assert [places.all[at].line for _, at in found[MAIN].entries] == [55]


def test_missed_events_do_not_confuse_the_stack() -> None:
    # The clock started inside g (its entering was not seen), and h's leaving was not seen either.
    rows = main((0, G, 51), (1, H, ENTER), (2, H, 9), (3, G, 52), (4, G, LEAVE), (5, F, LEAVE))
    assert told(rows) == [(0, 51), (2, 9), (3, 52), (4, None)]


def test_threads_have_stacks_of_their_own() -> None:
    rows: list[Row] = [
        (0, MAIN, F, ENTER), (1, MAIN, F, 2), (2, OTHER, G, ENTER), (3, OTHER, G, 51),
        (4, MAIN, F, 3), (5, OTHER, G, LEAVE), (6, MAIN, F, LEAVE),
    ]  # fmt: skip
    assert told(rows) == [(1, 2), (4, 3), (6, None)]
    assert told(rows, OTHER) == [(3, 51), (5, None)]


def test_segments_are_found_by_time() -> None:
    found, _ = tracks(main((10, F, ENTER), (11, F, 2), (20, F, 3)))
    track = found[MAIN]
    assert [track.at(time) for time in (10, 11, 19, 20, 99)] == [-1, 0, 0, 1, 1]


def test_every_event_is_counted_once() -> None:
    rows = main(
        (0, F, ENTER), (1, F, 2), (2, G, ENTER), (3, G, 55), (4, G, LEAVE), (6, G, -1 - 55),
        (8, G, 56), (9, G, LEAVE),
    )  # fmt: skip
    found, _ = tracks(rows)
    assert sum(found[MAIN].events) == len(rows) - 1  # the first one has no segment to be in


# The step's loop

LOOP = LoopMark("/p/train.py", 10, 20, (10, 10))


def passes(rows: list[Row], loop: LoopMark = LOOP) -> list[int]:
    return tracks(rows, loop)[0][MAIN].passes


def test_a_pass_begins_at_the_header() -> None:
    rows = main(
        (0, F, ENTER), (1, F, 9), (2, F, 10), (3, F, 11), (4, F, 12), (5, F, 10), (6, F, 11),
        (7, F, 10), (8, F, 21),
    )  # fmt: skip
    assert passes(rows) == [2, 5, 7]


def test_lines_of_a_long_header_are_one_beginning() -> None:
    loop = LoopMark("/p/train.py", 10, 20, (10, 12))
    rows = main(
        (0, F, ENTER), (1, F, 11), (2, F, 12), (3, F, 10), (4, F, 13), (5, F, 10), (6, F, 13)
    )
    assert passes(rows, loop) == [1, 5]


def test_other_files_and_functions_inside_its_lines_do_not_count() -> None:
    rows = main(
        (0, F, ENTER), (1, F, 10), (2, F, 11), (3, H, ENTER), (4, H, 10), (5, H, LEAVE),
        (6, G, ENTER), (7, G, 15), (8, G, 10), (9, G, LEAVE), (10, F, 12),
    )  # fmt: skip
    assert passes(rows) == [1]


def test_going_on_inside_the_loop_begins_no_pass() -> None:
    loop = LoopMark("/p/train.py", 10, 20, (11, 11))  # while True: its first statement yields
    rows = main(
        (0, F, ENTER), (1, F, 11), (2, F, LEAVE), (3, F, -1 - 11), (4, F, 12), (5, F, 11),
        (6, F, LEAVE), (7, F, -1 - 11), (8, F, 12),
    )  # fmt: skip
    assert passes(rows, loop) == [1, 5]


def test_the_loops_line_is_known_under_deeper_frames() -> None:
    rows = main(
        (0, F, ENTER), (1, F, 9), (2, F, 10), (3, F, 12), (4, H, ENTER), (5, H, 1), (6, H, LEAVE),
        (7, F, LEAVE),
    )  # fmt: skip
    found, places = tracks(rows, LOOP)
    track = found[MAIN]
    lines = [None if at == NOWHERE else places.all[at].line for at in track.loops]
    assert lines[1:] == [10, 12, 12, 12, None]


@pytest.mark.parametrize("loop", [None, LOOP])
def test_times_rise(loop: LoopMark | None) -> None:
    rows = main(*((t, F, 10 + t % 3) for t in range(1, 50)))
    starts = tracks(rows, loop)[0][MAIN].starts
    assert all(a < b for a, b in pairwise(starts))
