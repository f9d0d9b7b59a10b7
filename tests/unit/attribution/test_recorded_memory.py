"""Memory of recordings that begin in the middle: level, peak, owners, and what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.attribution.lines import build_lines
from stepscope.attribution.memory import MemoryLedger
from stepscope.attribution.owners import own
from stepscope.attribution.recorded_memory import recorded_memory
from stepscope.timeline.model import MemoryEvents, Timeline
from tests.timelines import BACKWARD_THREAD, Tape, by_line, recording_of


def tape(device: str = "cuda:0") -> Tape:
    """Two steps, 100 to 200 and 200 to 300; line 1 from 0, line 2 from 150, line 1 from 200."""
    made = Tape(100, 200, 300, device=device)
    made.line(0, 1)
    made.line(150, 2)
    made.line(200, 1)
    return made


def ledger_of(made: Tape, device: int | None = None, **columns: Any) -> MemoryLedger:
    """``columns``: ``total`` and ``reserved``, one value per memory event in order of time."""
    timeline = _with(made.timeline(), **columns)
    recording = recording_of(timeline)
    found = recorded_memory(timeline, recording, own(timeline, recording), device)
    assert found is not None
    return found


def _with(timeline: Timeline, **columns: Any) -> Timeline:
    memory = recording_of(timeline).memory
    assert memory is not None
    for name, values in columns.items():
        assert len(values) == len(memory.time)
        setattr(memory, name, values)
    return timeline


def cuda(made: Tape, time: int, address: int, size: int, **fields: int) -> None:
    made.allocate(time, address, size, **({"device": 0} | fields))


def test_the_allocators_own_count_is_the_level() -> None:
    made = tape()
    made.op("aten::mm", 105, 120)
    cuda(made, 110, 1, 50)
    cuda(made, 160, 2, 30)
    cuda(made, 170, 9, -400)  # from before the recording
    ledger = ledger_of(made, total=[1050, 1080, 680], reserved=[2000, 4000, 4000])
    assert ledger.peak_bytes == 1080
    assert ledger.before_bytes == 1000
    assert by_line(made.timeline(), ledger.live or {}) == {1: 50, 2: 30}
    assert made.timeline().places[ledger.peak_place].line == 2
    assert ledger.reserved_bytes == 4000
    assert ledger.categories is None
    assert ledger.notes == ()
    assert [(point.at_ms, point.live_bytes) for point in ledger.timeline] == [
        (1e-5, 1050), (6e-5, 1080), (7e-5, 680),
    ]  # fmt: skip


def test_allocations_are_told_per_step_and_only_of_whole_ones() -> None:
    made = tape()
    cuda(made, 20, 1, 5000)
    for time in (110, 210):
        cuda(made, time, time, 50)
    cuda(made, 160, 2, 30)
    ledger = ledger_of(made)
    assert by_line(made.timeline(), ledger.allocated) == {1: 50, 2: 15}


def test_a_gradient_belongs_to_the_forward_line() -> None:
    made = tape()
    made.op("aten::mm", 105, 120, sequence=7)
    made.node("MmBackward0", 155, 180, 7, thread=BACKWARD_THREAD)
    cuda(made, 160, 1, 50, thread=BACKWARD_THREAD // 100)
    assert by_line(made.timeline(), ledger_of(made).live or {}) == {1: 50}


def test_without_a_count_the_level_is_what_is_freed_later() -> None:
    made = tape()
    cuda(made, 110, 1, 50)
    cuda(made, 120, 1, -50)
    cuda(made, 130, 7, -400)
    cuda(made, 140, 7, 60)
    cuda(made, 150, 7, -60)
    ledger = ledger_of(made)
    assert (ledger.peak_bytes, ledger.before_bytes) == (450, 400)
    (note,) = ledger.notes
    assert "may be higher" in note


def test_without_addresses_there_is_a_curve_and_no_owner() -> None:
    made = tape()
    for time, size in ((110, -100), (120, 60), (130, 70), (160, -20)):
        cuda(made, time, -1, size)
    ledger = ledger_of(made)
    assert [point.live_bytes for point in ledger.timeline] == [0, 60, 130, 110]
    assert ledger.peak_bytes == 130
    assert ledger.live is None
    assert ledger.before_bytes is None
    assert any("cannot be put on lines" in note for note in ledger.notes)
    assert by_line(made.timeline(), ledger.allocated) == {1: 65}


def test_a_peak_at_the_beginning_has_no_line() -> None:
    made = tape()
    cuda(made, 110, 9, -100)
    ledger = ledger_of(made, total=[900])
    assert (ledger.peak_bytes, ledger.before_bytes, ledger.peak_place) == (1000, 1000, -1)
    assert ledger.live == {}


def test_lost_events_do_not_bend_the_level() -> None:
    made = tape()
    cuda(made, 110, 1, 50)
    cuda(made, 120, 2, 50)  # 300 bytes more were allocated between them, unseen
    ledger = ledger_of(made, total=[50, 400])
    assert (ledger.peak_bytes, ledger.before_bytes) == (400, 300)


def test_counts_that_are_missing_here_and_there() -> None:
    made = tape()
    for time in (110, 120, 130):
        cuda(made, time, time, 50)
    ledger = ledger_of(made, total=[-1, 600, -1], reserved=[-1, -1, -1])
    assert [point.live_bytes for point in ledger.timeline] == [550, 600, 650]
    assert ledger.reserved_bytes is None


@pytest.mark.parametrize(("device", "peak"), [(None, 90), (0, 50), (1, 90), (-1, 7000)])
def test_the_accelerator_with_the_highest_peak_counts(device: int | None, peak: int) -> None:
    made = tape()
    cuda(made, 110, 1, 50)
    cuda(made, 110, 1, 90, device=1)
    made.allocate(110, 1, 7000)
    assert ledger_of(made, device).peak_bytes == peak


def test_on_the_host_alone_it_is_the_hosts_memory() -> None:
    made = tape("cpu")
    made.allocate(110, 1, 7000)
    assert ledger_of(made).peak_bytes == 7000


def test_without_memory_events_there_is_no_ledger() -> None:
    made = tape()
    timeline = made.timeline()
    recording = recording_of(timeline)
    owned = own(timeline, recording)
    assert recorded_memory(timeline, recording, owned) is None
    recording.memory = MemoryEvents([], [], [], [], [])
    assert recorded_memory(timeline, recording, owned) is None
    made.allocate(110, 1, 7)
    timeline = made.timeline()
    recording = recording_of(timeline)
    assert recorded_memory(timeline, recording, own(timeline, recording), device=3) is None


def test_bytes_per_operator_count_for_the_one_that_fills_them() -> None:
    made = tape()
    outer = made.op("aten::add", 105, 120)
    made.op("aten::empty", 108, 112)
    cuda(made, 110, 1, 50)
    assert ledger_of(made).by_operator == {outer: 50}


def test_lines_show_what_they_hold_without_saying_what_for() -> None:
    made = tape("cpu")
    made.op("aten::mm", 105, 120)
    made.allocate(110, 1, 50)
    timeline = made.timeline()
    ledgers = attribute(timeline).ledgers
    recording = recording_of(timeline)
    ledgers.memory = recorded_memory(timeline, recording, own(timeline, recording))
    lines, _ = build_lines(ledgers, recording)
    shown = {line.line: (line.live_at_peak_bytes, line.allocated_bytes) for line in lines}
    assert shown == {1: (50, 25), 2: (0, 0)}
    assert {line.categories for line in lines} == {None}
    assert ledgers.memory is not None
    ledgers.memory.live = None
    lines, _ = build_lines(ledgers, recording)
    assert {line.live_at_peak_bytes for line in lines} == {None}


def test_what_is_not_known_of_a_trace_is_among_its_notes() -> None:
    made = tape("cpu")
    made.op("aten::mm", 105, 120)
    made.allocate(110, 1, 50)
    timeline = made.timeline()
    timeline.facts["with_shapes"] = False
    recording_of(timeline).facts["from_trace"] = True
    profile = attribute(timeline).profile
    assert any("may be higher" in note for note in profile.notes)
    assert profile.memory is not None
    assert profile.memory.categories is None
