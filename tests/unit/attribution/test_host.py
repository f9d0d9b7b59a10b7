"""The host ledger: wall time of the step's thread by line, without what the clock itself cost."""

from __future__ import annotations

import pytest

from stepscope.attribution.host import HostLedger, host_ledger
from stepscope.timeline.model import Timeline
from tests.timelines import BACKWARD_THREAD, STEP_THREAD, Tape, by_line, recording_of


def ledger_of(
    tape: Tape, event_ns: float = 0.0, clean_ns: float | None = None
) -> tuple[Timeline, HostLedger]:
    tape.window_facts["event_ns"] = event_ns
    timeline = tape.timeline()
    recording = recording_of(timeline, tape.kind)
    places, fetches = timeline.places, timeline.fetches
    return timeline, host_ledger(recording, places, fetches, STEP_THREAD, clean_ns)


def test_lines_share_the_step_and_the_ledger_is_per_step() -> None:
    tape = Tape(0, 100, 200, kind="lines")
    for begin in (0, 100):
        tape.line(begin, 1)
        tape.line(begin + 30, 2)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.by_place) == {1: 30, 2: 70}
    assert ledger.step_ns == 100
    assert by_line(timeline, ledger.calls) == {1: 1, 2: 1}


def test_a_callees_time_is_its_own_and_the_rest_of_the_call_the_callers() -> None:
    tape = Tape(0, 100, kind="lines")
    tape.line(0, 1)
    tape.enter(10, "f")
    tape.line(20, 50, function="f")
    tape.leave(60, "f")
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.by_place) == {1: 60, 50: 40}


def test_recursion_charges_the_innermost_turn() -> None:
    tape = Tape(0, 100, kind="lines")
    tape.line(0, 1)
    for depth in range(3):
        tape.enter(10 + 10 * depth, "f")
        tape.line(10 + 10 * depth, 50, function="f")
    for depth in range(3):
        tape.line(50 + 10 * depth, 51, function="f")
        tape.leave(55 + 10 * depth, "f")
    timeline, ledger = ledger_of(tape)
    # Between a turn's end and the next line event its caller is still on line 50.
    assert by_line(timeline, ledger.by_place) == {1: 35, 50: 50, 51: 15}
    assert by_line(timeline, ledger.calls) == {1: 1, 50: 3, 51: 3}


def test_time_before_the_first_line_is_nobodys() -> None:
    tape = Tape(0, 100, kind="lines")
    tape.line(40, 1)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.by_place) == {None: 40, 1: 60}


def test_other_threads_do_not_touch_the_step() -> None:
    tape = Tape(0, 100, kind="lines")
    tape.line(0, 1)
    tape.line(20, 70, function="worker", thread=BACKWARD_THREAD)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.by_place) == {1: 100}


def test_what_the_clocks_events_cost_is_taken_off_the_lines_that_they_fell_on() -> None:
    tape = Tape(0, 1000, kind="lines")
    tape.line(0, 1)
    for turn in range(10):
        tape.line(100 + 50 * turn, 2)
    tape.line(600, 3)
    timeline, ledger = ledger_of(tape, event_ns=20)
    assert by_line(timeline, ledger.by_place) == {1: 80, 2: 300, 3: 380}
    assert ledger.step_ns == 760


def test_entering_a_frame_costs_the_line_that_calls() -> None:
    tape = Tape(0, 100, kind="lines")
    tape.line(0, 1)
    tape.enter(40, "f")
    tape.line(50, 50, function="f")
    timeline, ledger = ledger_of(tape, event_ns=10)
    assert by_line(timeline, ledger.by_place) == {1: 30, 50: 40}


@pytest.mark.parametrize(
    ("clean_ns", "event_ns"),
    [
        (760, 20),  # 12 events and a step that grew by 240
        (640, 30),
        (990, 10),  # it cannot have cost next to nothing
        (100, 40),  # nor all that the machine slowed down by
        (None, 20),
    ],
)
def test_many_events_cost_what_the_step_grew_by_within_bounds(
    clean_ns: float | None, event_ns: float
) -> None:
    tape = Tape(0, 1000, kind="lines")
    tape.line(0, 1)
    for turn in range(10):
        tape.line(100 + 50 * turn, 2)
    tape.line(600, 3)
    timeline, ledger = ledger_of(tape, 20, clean_ns)
    assert by_line(timeline, ledger.by_place) == {
        1: 100 - event_ns, 2: 500 - 10 * event_ns, 3: 400 - event_ns,
    }  # fmt: skip


def test_few_events_cost_what_the_agent_found_them_to_cost() -> None:
    tape = Tape(0, 1000, kind="lines")
    tape.line(0, 1)
    tape.line(500, 2)
    timeline, ledger = ledger_of(tape, 20, 900)
    assert by_line(timeline, ledger.by_place) == {1: 480, 2: 480}


def test_a_line_never_costs_less_than_nothing() -> None:
    tape = Tape(0, 100, kind="lines")
    tape.line(0, 1)
    tape.line(90, 2)
    timeline, ledger = ledger_of(tape, event_ns=30)
    assert by_line(timeline, ledger.by_place) == {1: 60}
    assert ledger.step_ns == 60


def test_an_outlying_step_is_left_out() -> None:
    tape = Tape(0, 100, 200, 1200, 1300, kind="lines")
    for begin in (0, 100, 200, 1200):
        tape.line(begin, 1)
        tape.line(begin + 60, 2)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.by_place) == {1: 60, 2: 40}
    assert by_line(timeline, ledger.calls) == {1: 1, 2: 1}


def test_waiting_for_data_is_part_of_its_lines_time() -> None:
    tape = Tape(0, 100, 200, kind="lines")
    for begin in (0, 100):
        tape.line(begin, 1)
        tape.fetch(begin + 10, begin + 40)
        tape.fetch(begin + 50, begin + 90, thread=BACKWARD_THREAD)
        tape.line(begin + 60, 2)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.data_wait) == {1: 30}
    assert by_line(timeline, ledger.by_place) == {1: 60, 2: 40}


def test_code_that_outran_the_clock_is_split_as_it_was_split_before() -> None:
    tape = Tape(0, 1000, kind="lines")
    tape.line(0, 1)
    tape.enter(100, "hot")
    tape.line(100, 50, function="hot")  # 30 ns on 50 and 10 on 51, then the clock gives up
    tape.line(130, 51, function="hot")
    tape.bounded("hot", 140)
    tape.leave(500, "hot")
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.by_place) == {1: 600, 50: 300, 51: 100}
    assert sum(ledger.by_place.values()) == pytest.approx(1000)
    assert any("hot" in note for note in timeline.notes)


def called_again() -> Tape:
    """Hot code that is bounded in the first of three steps and runs for 400 ns in each."""
    tape = Tape(0, 1000, 2000, 3000, kind="lines")
    tape.line(0, 1)
    tape.enter(100, "hot")
    for turn in range(10):
        tape.line(100 + 20 * turn, 50, function="hot")
        tape.line(105 + 20 * turn, 51, function="hot")
    tape.bounded("hot", 300)
    tape.leave(500, "hot")
    for begin in (1000, 2000):
        tape.line(begin, 1)
        tape.enter(begin + 100, "hot")
        tape.leave(begin + 500, "hot")
    return tape


def test_code_that_outran_the_clock_keeps_its_time_when_it_is_called_again() -> None:
    timeline, ledger = ledger_of(called_again(), 20)
    # Only the steps without line events count: 400 ns of hot code, split 5 to 15 as before.
    # Three events a step: the line and the leaving on line 1, the entering in the hot code.
    assert by_line(timeline, ledger.by_place) == {1: 560, 50: 95, 51: 285}


@pytest.mark.parametrize(
    ("clean_ns", "hot"), [(900, 300), (500, 400 / 3), (1000, 400), (1500, 400)]
)
def test_what_a_step_grew_by_is_the_hot_codes_slowness_within_bounds(
    clean_ns: float, hot: float
) -> None:
    timeline, ledger = ledger_of(called_again(), 0, clean_ns)
    assert by_line(timeline, ledger.by_place) == pytest.approx(
        {1: 600, 50: hot / 4, 51: hot * 3 / 4}
    )
