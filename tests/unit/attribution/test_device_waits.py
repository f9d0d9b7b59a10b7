"""Who waits for the device: the waiting line pays the wait, the launching line the work."""

from __future__ import annotations

import pytest

from stepscope.attribution.device import device_ledger
from stepscope.attribution.device_waits import Waits
from stepscope.attribution.owners import own
from stepscope.timeline.model import Timeline
from tests.timelines import BACKWARD_THREAD, Tape, by_line, recording_of


def waits_of(tape: Tape) -> tuple[Timeline, Waits]:
    timeline = tape.timeline()
    recording = recording_of(timeline)
    return timeline, device_ledger(timeline, recording, own(timeline, recording)).waits


def launch_then_wait() -> Tape:
    """Line 1 launches a long kernel; line 2 runs from 100 to the end."""
    tape = Tape(0, 1000, device="cuda:0")
    tape.line(0, 1)
    op = tape.op("aten::mm", 10, 50)
    tape.launched(op, (20, 30), (50, 700))
    tape.line(100, 2)
    return tape


def test_a_synchronisation_is_the_wait_of_its_line_and_the_work_of_the_other() -> None:
    tape = launch_then_wait()
    item = tape.op("aten::item", 110, 720)
    inner = tape.op("aten::_local_scalar_dense", 115, 715)
    tape.runtime("cudaStreamSynchronize", 120, 700, op=inner, correlation=4)
    timeline, waits = waits_of(tape)
    assert item != inner
    assert by_line(timeline, waits.sync) == {2: 580}
    assert by_line(timeline, waits.copy) == {}
    assert waits.blocked == [(120, 700)]
    ((place, calls),) = waits.calls.items()
    assert timeline.places[place].line == 2
    assert calls == {"aten::item": 1}, "the outermost operator is what the person wrote"


def test_an_explicit_synchronize_is_named_by_its_runtime_call() -> None:
    tape = launch_then_wait()
    tape.runtime("cudaDeviceSynchronize", 120, 700)
    _, waits = waits_of(tape)
    assert list(waits.calls.values()) == [{"cudaDeviceSynchronize": 1}]


def test_a_wait_that_spans_lines_is_divided_among_them() -> None:
    tape = launch_then_wait()
    tape.runtime("hipStreamSynchronize", 90, 200)
    timeline, waits = waits_of(tape)
    assert by_line(timeline, waits.sync) == {1: 10, 2: 100}


def test_a_stream_that_waits_for_an_event_does_not_block_the_host() -> None:
    tape = launch_then_wait()
    tape.runtime("cudaStreamWaitEvent", 120, 125)
    tape.kernel("Stream Wait Event", 130, 700, kind="sync")
    timeline, waits = waits_of(tape)
    assert by_line(timeline, waits.sync) == {}
    assert waits.blocked == []


def test_waits_of_other_threads_and_outside_the_steps_are_not_the_steps() -> None:
    tape = launch_then_wait()
    tape.runtime("cudaStreamSynchronize", 120, 700, thread=BACKWARD_THREAD)
    tape.runtime("cudaDeviceSynchronize", 1100, 1200)
    timeline, waits = waits_of(tape)
    assert by_line(timeline, waits.sync) == {}


@pytest.mark.parametrize(
    ("api", "copy", "waits"),
    [
        ("cudaMemcpy", "Memcpy HtoD (Pinned -> Device)", True),
        ("cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)", True),
        ("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", True),
        ("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", False),
        ("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", False),
        ("cudaMemcpyAsync", "Memcpy DtoD (Device -> Device)", False),
        ("cudaMemcpyPeerAsync", "Memcpy PtoP (Device -> Device)", False),
    ],
)
def test_only_a_copy_that_blocks_is_a_wait(api: str, copy: str, waits: bool) -> None:
    tape = launch_then_wait()
    op = tape.op("aten::copy_", 710, 890)
    tape.launched(op, (720, 880), (750, 870), api=api, name=copy, kind="memcpy")
    timeline, found = waits_of(tape)
    assert by_line(timeline, found.copy) == ({2: 160} if waits else {})
    assert by_line(timeline, found.sync) == {}


@pytest.mark.parametrize(("done", "waits"), [(860, True), (990, False)])
def test_where_the_runtime_does_not_name_the_memory_the_times_decide(
    done: int, waits: bool
) -> None:
    tape = launch_then_wait()
    op = tape.op("aten::copy_", 710, 890)
    name = "Memcpy HtoD (Host -> Device)"
    tape.launched(op, (720, 880), (750, done), api="hipMemcpyAsync", name=name, kind="memcpy")
    timeline, found = waits_of(tape)
    assert by_line(timeline, found.copy) == ({2: 160} if waits else {})


def test_an_asynchronous_copy_whose_work_was_not_recorded_is_no_wait() -> None:
    tape = launch_then_wait()
    tape.runtime("cudaMemcpyAsync", 720, 880)
    timeline, found = waits_of(tape)
    assert by_line(timeline, found.copy) == {}
