"""Live memory over one step: the peak, its line, what it is made of."""

from __future__ import annotations

from typing import Any

from stepscope.attribution.memory import MemoryLedger, memory_ledger
from stepscope.attribution.model import Categories
from stepscope.attribution.owners import own
from stepscope.timeline.model import Timeline
from tests.timelines import BACKWARD_THREAD, Tape, by_line, recording_of

W, X, G = 1000, 2000, 3000  # addresses of a parameter, its input, its gradient


def detail(device: str = "cpu") -> Tape:
    """Two steps; the first only shows what outlives a step, the second (100 to 200) counts.

    Line 1 computes forward from 100, line 2 backward from 150.
    """
    tape = Tape(0, 100, 200, device=device, kind="detail")
    tape.line(0, 1)
    tape.line(100, 1)
    tape.line(150, 2)
    return tape


def ledger_of(tape: Tape) -> tuple[Timeline, MemoryLedger]:
    timeline = tape.timeline()
    recording = recording_of(timeline, "detail")
    found = memory_ledger(timeline, recording, own(timeline, recording))
    assert found is not None
    return timeline, found


def sorted_out(ledger: MemoryLedger) -> int:
    """Bytes of all categories together."""
    assert ledger.categories is not None
    return ledger.categories.total


def test_the_peak_is_resident_memory_plus_what_lived_at_once() -> None:
    tape = detail()
    tape.resident(90, (W, 500, False), parameter=[W])
    tape.allocate(110, 5, 100)
    tape.allocate(120, 6, 50)
    tape.free(130, 5, 100)
    tape.allocate(140, 7, 60)
    _, ledger = ledger_of(tape)
    assert ledger.peak_bytes == 650
    assert sorted_out(ledger) == 650
    assert [(point.at_ms, point.live_bytes) for point in ledger.timeline] == [
        (0.0, 500), (1e-5, 600), (2e-5, 650), (3e-5, 550), (4e-5, 610),
    ]  # fmt: skip


def test_bytes_by_line_and_the_line_of_the_peak() -> None:
    tape = detail()
    tape.resident(90)
    tape.op("aten::mm", 105, 115)
    tape.allocate(110, 5, 100)
    tape.allocate(160, 6, 40)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.allocated) == {1: 100, 2: 40}
    held = {place: float(parts.total) for place, parts in ledger.by_place.items()}
    assert by_line(timeline, held) == {1: 100, 2: 40}
    assert timeline.places[ledger.peak_place].line == 2


def test_what_backward_allocates_belongs_to_the_forward_line() -> None:
    tape = detail()
    tape.resident(90)
    tape.op("aten::mm", 105, 115, sequence=3)
    tape.node("MmBackward0", 155, 190, 3, thread=BACKWARD_THREAD)
    tape.allocate(160, 6, 40, thread=BACKWARD_THREAD // 100)
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.allocated) == {1: 40}


def test_categories_by_owner_then_by_when_a_block_was_born_and_died() -> None:
    tape = detail()
    tape.resident(90, (W, 500, False), (X, 70, False), (9, 30, True), parameter=[W])
    tape.op("aten::mm", 105, 149, sequence=3)
    tape.allocate(110, 5, 100)  # used by backward: an activation
    tape.allocate(115, 6, 20)  # gone before backward begins
    tape.free(120, 6, 20)
    tape.fetch(125, 130)
    tape.allocate(127, 7, 11)  # made inside the loader
    tape.node("MmBackward0", 155, 190, 3)
    tape.allocate(160, G, 500)  # still there, as a gradient, when the step ends
    tape.allocate(165, 8, 13)  # backward's own scratch
    tape.free(170, 8, 13)
    tape.free(180, 5, 100)
    tape.owned(200, parameter=[W], gradient=[G])
    _, ledger = ledger_of(tape)
    assert ledger.categories == Categories(
        parameter=500, gradient=500, activation=130, input=81, temporary=13
    )
    assert ledger.peak_bytes == sorted_out(ledger) == 500 + 70 + 30 + 100 + 11 + 500 + 13


def test_resident_memory_that_is_freed_before_the_peak_is_not_at_it() -> None:
    tape = detail()
    tape.resident(90, (G, 500, False), gradient=[G])
    tape.free(110, G, 500)
    tape.allocate(120, 5, 600)
    _, ledger = ledger_of(tape)
    assert ledger.peak_bytes == 600
    assert ledger.categories == Categories(temporary=600)


def test_an_address_that_is_given_out_again_was_free_whoever_saw_it_go() -> None:
    tape = detail()
    tape.resident(90, (G, 500, False), gradient=[G])
    tape.allocate(120, G, 200)
    tape.allocate(130, G, 50)
    _, ledger = ledger_of(tape)
    assert [point.live_bytes for point in ledger.timeline] == [500, 200, 50]
    assert ledger.peak_bytes == sorted_out(ledger) == 500


def test_memory_freed_between_the_state_and_the_step_does_not_count() -> None:
    tape = detail()
    tape.resident(90, (X, 300, False))
    tape.free(95, X, 300)
    tape.allocate(110, 5, 100)
    _, ledger = ledger_of(tape)
    assert ledger.peak_bytes == sorted_out(ledger) == 100
    assert ledger.timeline[0].live_bytes == 0


def test_events_in_the_same_nanosecond_keep_their_order() -> None:
    tape = detail()
    tape.resident(90)
    tape.allocate(110, 5, 100)
    tape.allocate(120, 6, 70)
    tape.free(120, 5, 100)
    tape.allocate(120, 7, 10)
    _, ledger = ledger_of(tape)
    assert ledger.peak_bytes == sorted_out(ledger) == 170


def test_only_the_models_own_device_counts() -> None:
    tape = detail(device="cuda:1")
    tape.resident(90)
    tape.allocate(110, 5, 100, device=1)
    tape.allocate(120, 6, 7000, device=0)
    tape.allocate(130, 7, 7000, device=-1)
    _, ledger = ledger_of(tape)
    assert ledger.peak_bytes == 100


def test_the_allocators_own_peak_is_taken_where_there_is_one() -> None:
    tape = detail(device="cuda:0")
    tape.resident(90)
    tape.window_facts["allocator"] = {"peak": 4096, "reserved": 8192, "now": 0}
    tape.allocate(110, 5, 4000, device=0)
    _, ledger = ledger_of(tape)
    assert (ledger.peak_bytes, ledger.reserved_bytes) == (4096, 8192)


def test_bytes_by_operator_cover_all_steps_and_go_past_allocating_helpers() -> None:
    tape = detail()
    tape.resident(90)
    operators = []
    for begin in (10, 110):
        operators.append(tape.op("aten::convolution", begin, begin + 20))
        tape.op("aten::empty", begin + 2, begin + 6)
        tape.allocate(begin + 4, begin, 64)
        tape.allocate(begin + 10, begin + 1, 32)
    _, ledger = ledger_of(tape)
    assert ledger.by_operator == dict.fromkeys(operators, 96)


def test_without_memory_events_or_a_step_to_look_at_nothing_is_claimed() -> None:
    for change in ("no events", "no step"):
        tape = detail()
        state: dict[str, Any] = {"no events": 90, "no step": 150}
        tape.resident(state[change])
        if change == "no step":
            tape.allocate(110, 5, 100)
        timeline = tape.timeline()
        recording = recording_of(timeline, "detail")
        assert memory_ledger(timeline, recording, own(timeline, recording)) is None
