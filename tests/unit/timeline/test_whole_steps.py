"""Where whole steps begin and end, from the passes of the loop and the ticks."""

from __future__ import annotations

from stepscope.timeline.from_capture import whole_steps

WINDOW = 5  # a window opens in the middle of a pass, at a tick


def test_a_step_is_a_pass_that_saw_a_tick() -> None:
    assert whole_steps([10, 20, 30], [WINDOW, 15, 25, 35]) == [10, 20, 30]


def test_passes_without_a_tick_join_the_next_one() -> None:
    assert whole_steps([10, 20, 30, 40, 50], [WINDOW, 25, 45, 55]) == [10, 30, 50]


def test_several_ticks_in_a_pass_are_the_steps_themselves() -> None:
    ticks = [WINDOW, 15, 17, 19, 25]
    assert whole_steps([10, 20], ticks) == ticks


def test_without_passes_the_ticks_are_the_steps() -> None:
    assert whole_steps([], [WINDOW, 15, 25]) == [WINDOW, 15, 25]
