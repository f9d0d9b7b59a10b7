"""The sweep over the step's thread: every nanosecond has exactly one owner."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.attribution.owners import Owned, own
from stepscope.attribution.work import Sweep, sweep
from stepscope.timeline.model import NOWHERE, Recording, Timeline, Track
from tests.timelines import BACKWARD_THREAD, STEP_THREAD, Tape, recording_of

END = 200


def swept(tape: Tape) -> tuple[Timeline, Recording, Owned, Sweep]:
    timeline = tape.timeline()
    recording = recording_of(timeline)
    owned = own(timeline, recording)
    return timeline, recording, owned, sweep(timeline, recording, owned)


def readable(timeline: Timeline, found: Sweep) -> dict[tuple[int, str], int]:
    """Nanoseconds by (executing line, operator or "python")."""
    result: dict[tuple[int, str], int] = {}
    for (place, key), ns in found.in_ops.items():
        result[(timeline.places[place].line, timeline.strings[key[1]])] = ns
    for place, ns in found.in_python.items():
        result[(timeline.places[place].line, "python")] = ns
    return result


def test_a_step_divides_into_operators_self_times_and_python() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    tape.op("aten::linear", 10, 60)
    tape.op("aten::addmm", 20, 50)
    tape.line(70, 2)
    timeline, _, _, found = swept(tape)
    assert readable(timeline, found) == {
        (1, "python"): 20, (1, "aten::linear"): 20, (1, "aten::addmm"): 30, (2, "python"): 30,
    }  # fmt: skip
    assert found.span_ns == 100


def test_user_code_that_an_operator_calls_is_python_of_its_own_line() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    tape.op("Square", 10, 90)
    tape.enter(20, "Square.forward")
    tape.line(20, 50, function="Square.forward")
    tape.op("aten::mul", 30, 40)
    tape.leave(60, "Square.forward")
    timeline, _, _, found = swept(tape)
    assert readable(timeline, found) == {
        (1, "python"): 20, (1, "Square"): 40, (50, "python"): 30, (50, "aten::mul"): 10,
    }  # fmt: skip


def test_an_operator_that_spans_two_steps_is_divided_at_the_edge() -> None:
    tape = Tape(0, 100, 200)
    tape.line(0, 1)
    tape.op("aten::mm", 80, 130)
    timeline, _, _, found = swept(tape)
    assert found.steps == 2
    assert readable(timeline, found) == {(1, "python"): 150, (1, "aten::mm"): 50}


def test_operators_of_other_threads_are_beside_the_step() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    tape.op("aten::mm", 10, 90, thread=BACKWARD_THREAD)
    tape.op("aten::add", 20, 50, thread=BACKWARD_THREAD)
    timeline, _, _, found = swept(tape)
    assert readable(timeline, found) == {(1, "python"): 100}
    beside = {timeline.strings[key[1]]: ns for key, ns in found.elsewhere.items()}
    assert beside == {"aten::mm": 50, "aten::add": 30}


def test_an_outlying_step_counts_neither_time_nor_operators() -> None:
    tape = Tape(0, 100, 200, 900, 1000)
    tape.line(0, 1)
    for start in (10, 110, 210, 910):
        tape.op("aten::mm", start, start + 20)
    timeline, _, _, found = swept(tape)
    assert (found.steps, found.span_ns) == (3, 300)
    assert readable(timeline, found) == {(1, "python"): 240, (1, "aten::mm"): 60}
    assert sum(found.counts.values()) == 3


Interval = tuple[int, int]


@st.composite
def nested(draw: st.DrawFn) -> list[Interval]:
    """Intervals of which any two are disjoint or one inside the other, zero lengths included."""
    found: list[Interval] = []

    def fill(begin: int, end: int, depth: int) -> None:
        here = begin
        while depth < 4 and here < end and draw(st.booleans()):
            start = draw(st.integers(here, end))
            stop = draw(st.integers(start, end))
            found.append((start, stop))
            fill(start, stop, depth + 1)
            here = stop

    # Operators may begin before the step and end after it.
    fill(-20, END + 20, 0)
    return found


@settings(deadline=None, max_examples=200)
@given(
    mine=nested(),
    others=nested(),
    lines=st.lists(st.tuples(st.integers(-10, END), st.integers(1, 5)), max_size=12),
    edges=st.sets(st.integers(1, END - 1), max_size=1),
)
def test_every_nanosecond_has_exactly_one_owner(
    mine: list[Interval], others: list[Interval], lines: list[Interval], edges: set[int]
) -> None:
    tape = Tape(0, *sorted(edges), END)
    for time, line in sorted(lines, key=lambda event: event[0]):
        tape.line(time, line)
    operators = [(tape.op(f"op{n}", *span), span) for n, span in enumerate(mine)]
    for span in others:
        tape.op("other", *span, thread=BACKWARD_THREAD)
    _, recording, owned, found = swept(tape)

    # The same, asked of each nanosecond by itself.
    track = recording.tracks.get(STEP_THREAD, Track())
    expected: Counter[tuple[int, int | None]] = Counter()
    for moment in range(END):
        place = track.place_at(moment)
        inside = [(start, number) for number, (start, end) in operators if start <= moment < end]
        # Of nested operators the innermost started last; of equal starts the shortest is inside.
        operator = max(inside, key=lambda o: (o[0], owned.order.index(o[1])))[1] if inside else None
        if operator is not None:
            ran_at = owned.place[operator]
            if NOWHERE not in (place, ran_at) and place != ran_at:
                operator = None
        expected[(place, operator)] += 1
    names = {number: recording.ops.name[number] for number, _ in operators if recording.ops}
    by_name = Counter[tuple[int, int | None]]()
    for (place, number), ns in expected.items():
        by_name[(place, None if number is None else names[number])] += ns
    actual = Counter[tuple[int, int | None]]()
    for (place, key), ns in found.in_ops.items():
        actual[(place, key[1])] += ns
    for place, ns in found.in_python.items():
        actual[(place, None)] += ns
    assert +actual == +by_name
    assert sum(actual.values()) == found.span_ns == END
