"""The device ledger on constructed recordings: whose busy time, whose idle time, adding up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.attribution.device import DeviceLedger, device_ledger
from stepscope.attribution.owners import own
from stepscope.timeline.model import Timeline
from tests.timelines import BACKWARD_THREAD, Tape, by_line, recording_of


def ledger_of(tape: Tape) -> tuple[Timeline, DeviceLedger]:
    timeline = tape.timeline()
    recording = recording_of(timeline)
    return timeline, device_ledger(timeline, recording, own(timeline, recording))


def busy_lines(tape: Tape) -> dict[int | None, float]:
    timeline, ledger = ledger_of(tape)
    lines: dict[int, float] = {}
    for (place, _, _), ns in ledger.busy.items():
        lines[place] = lines.get(place, 0.0) + ns
    return by_line(timeline, lines)


def two_lines() -> Tape:
    """Line 1 runs from 0, line 2 from 100, in a step of 1000."""
    tape = Tape(0, 1000, device="cuda:0")
    tape.line(0, 1)
    tape.line(100, 2)
    return tape


def test_a_kernel_belongs_to_the_line_of_the_operator_it_is_linked_to() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    tape.launched(first, (20, 30), (200, 500))
    second = tape.op("aten::relu", 110, 150)
    tape.launched(second, (120, 130), (500, 600))
    assert busy_lines(tape) == {1: 300, 2: 100}


def test_a_kernel_without_link_takes_the_operator_of_its_runtime_call() -> None:
    tape = two_lines()
    op = tape.op("aten::mm", 10, 50)
    tape.runtime("cudaLaunchKernel", 20, 30, correlation=5, op=op)
    tape.kernel("gemm", 200, 500, correlation=5)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 300}
    assert [tape.strings[name] for _, name, _ in ledger.busy] == ["aten::mm"]


def test_a_kernel_with_only_an_external_id_still_finds_its_operator() -> None:
    tape = two_lines()
    op = tape.op("aten::mm", 10, 50)
    tape.kernel("gemm", 200, 500, op=op, correlation=77)
    assert busy_lines(tape) == {1: 300}


def test_a_kernel_without_any_operator_belongs_to_the_line_that_called_the_runtime() -> None:
    tape = two_lines()
    tape.launched(None, (120, 130), (200, 500), name="triton_poi_fused")
    timeline, ledger = ledger_of(tape)
    ((place, name, backward),) = ledger.busy
    assert (timeline.places[place].line, timeline.strings[name]) == (2, "triton_poi_fused")
    assert not backward


def test_a_kernel_launched_by_another_thread_belongs_to_that_threads_line() -> None:
    tape = two_lines()
    tape.line(0, 40, function="worker", thread=300)
    tape.launched(None, (120, 130), (200, 500), thread=300)
    assert busy_lines(tape) == {40: 300}


def test_a_kernel_that_nothing_launched_is_busy_time_without_a_line() -> None:
    tape = two_lines()
    tape.kernel("mystery", 200, 500)
    assert busy_lines(tape) == {None: 300}


def test_one_launch_of_a_graph_owns_all_its_kernels() -> None:
    tape = two_lines()
    tape.runtime("cudaGraphLaunch", 120, 130, correlation=9)
    for start in (200, 300, 400):
        tape.kernel("node", start, start + 50, correlation=9)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {2: 150}
    assert sum(ledger.launches.values()) == 3
    assert ledger.busy_ns + ledger.idle_ns == 1000


def test_a_backward_kernel_belongs_to_its_forward_line() -> None:
    tape = two_lines()
    forward = tape.op("aten::mm", 10, 50, sequence=4)
    tape.launched(forward, (20, 30), (100, 200))
    # The device's own backward thread runs no user line at all.
    tape.node("MmBackward0", 150, 250, 4, thread=BACKWARD_THREAD)
    inner = tape.op("aten::mm", 160, 240, thread=BACKWARD_THREAD)
    tape.launched(inner, (170, 180), (300, 700), thread=BACKWARD_THREAD)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 500}
    backward = {key[2]: ns for key, ns in ledger.busy.items()}
    assert backward == {False: 100, True: 400}


def test_work_launched_outside_the_steps_is_nobodys_but_no_idle_time_either() -> None:
    tape = two_lines()
    tape.launched(None, (-50, -40), (100, 300))
    op = tape.op("aten::mm", 10, 50)
    tape.launched(op, (20, 30), (500, 600))
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 100}
    assert sum(ledger.launches.values()) == 1
    assert ledger.idle_ns == 700


def test_an_outlying_step_counts_neither_busy_nor_idle() -> None:
    tape = Tape(0, 100, 200, 1200, 1300, device="cuda:0")
    tape.line(0, 1)
    for launch in (10, 110, 210, 1210):
        op = tape.op("aten::mm", launch, launch + 5)
        tape.launched(op, (launch + 1, launch + 2), (launch + 20, launch + 60))
    _, ledger = ledger_of(tape)
    assert ledger.steps == 3
    assert (ledger.busy_ns, ledger.idle_ns) == (120, 180)


# -- unions ----------------------------------------------------------------------------------------


def test_overlapping_streams_are_a_union_owned_by_what_started_first() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("aten::relu", 110, 150)
    tape.launched(first, (20, 30), (200, 400), stream=7)
    tape.launched(second, (120, 130), (300, 500), stream=8)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 200, 2: 100}
    assert ledger.busy_ns == 300


def test_a_kernel_that_lies_inside_another_owns_nothing_but_was_launched() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("aten::relu", 110, 150)
    tape.launched(first, (20, 30), (200, 600), stream=7)
    tape.launched(second, (120, 130), (300, 400), stream=8)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 400}
    assert sum(ledger.launches.values()) == 2


def test_computation_hides_communication_and_only_the_exposed_part_costs() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("c10d::allreduce_", 110, 150)
    tape.launched(second, (120, 130), (200, 600), stream=9, name="ncclDevKernel_AllReduce")
    tape.launched(first, (20, 30), (300, 400), stream=7)
    tape.launched(first, (20, 30), (350, 450), stream=8)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 150, 2: 250}
    by_kind: dict[str, float] = {}
    for (_, kind), ns in ledger.kinds.items():
        by_kind[kind] = by_kind.get(kind, 0.0) + ns
    assert by_kind == {"kernel": 150, "communication": 250}


def test_wholly_hidden_communication_costs_nothing() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("c10d::allreduce_", 110, 150)
    tape.launched(first, (20, 30), (200, 800), stream=7)
    tape.launched(second, (120, 130), (300, 400), stream=9, name="ncclKernel")
    assert busy_lines(tape) == {1: 600}


def test_two_devices_that_work_in_turns_are_both_owned_whole() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("aten::mm", 110, 150)
    tape.launched(first, (20, 30), (200, 400), device=0)
    tape.launched(second, (120, 130), (400, 700), device=1)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 200, 2: 300}
    assert (ledger.busy_ns, ledger.idle_ns) == (500, 500)


def test_a_moment_at_which_two_devices_are_busy_is_shared_between_them() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("aten::mm", 110, 150)
    tape.launched(first, (20, 30), (200, 400), device=0)
    tape.launched(second, (120, 130), (300, 600), device=1)
    _, ledger = ledger_of(tape)
    assert busy_lines(tape) == {1: 150, 2: 250}
    assert (ledger.busy_ns, ledger.idle_ns) == (400, 600)


def test_communication_on_one_device_is_not_hidden_by_computation_on_another() -> None:
    tape = two_lines()
    first = tape.op("aten::mm", 10, 50)
    second = tape.op("c10d::allreduce_", 110, 150)
    tape.launched(first, (20, 30), (200, 400), device=0)
    tape.launched(second, (120, 130), (200, 400), device=1, name="ncclKernel")
    assert busy_lines(tape) == {1: 100, 2: 100}


@st.composite
def kernels(draw: st.DrawFn) -> list[tuple[int, int, int, int, bool]]:
    """(start, length, stream, device, communication) of a few kernels inside [100, 900)."""
    one = st.tuples(
        st.integers(100, 850), st.integers(0, 50), st.integers(7, 9), st.integers(0, 2),
        st.booleans(),
    )  # fmt: skip
    return draw(st.lists(one, max_size=12))


@settings(deadline=None)
@given(kernels())
def test_busy_and_idle_time_are_the_step_whatever_overlaps(
    drawn: list[tuple[int, int, int, int, bool]],
) -> None:
    tape = two_lines()
    op = tape.op("aten::mm", 10, 50)
    moments: set[int] = set()
    for start, length, stream, device, communication in drawn:
        name = "ncclKernel" if communication else "gemm"
        work = (start, start + length)
        tape.launched(op, (20, 30), work, stream=stream, device=device, name=name)
        moments.update(range(*work))
    _, ledger = ledger_of(tape)
    assert ledger.busy_ns == pytest.approx(len(moments))
    assert sum(ledger.busy.values()) == pytest.approx(len(moments))
    assert sum(ledger.kinds.values()) == pytest.approx(len(moments))
    assert ledger.idle_ns == 1000 - len(moments)
    assert sum(ledger.idle.values()) == ledger.idle_ns
    assert sum(ledger.idle_kind.values()) == ledger.idle_ns


# -- idle time -------------------------------------------------------------------------------------


def test_gaps_belong_to_the_line_on_which_the_host_was() -> None:
    tape = two_lines()
    op = tape.op("aten::mm", 10, 50)
    tape.launched(op, (20, 30), (50, 90))
    tape.launched(op, (20, 30), (300, 1000))
    timeline, ledger = ledger_of(tape)
    assert by_line(timeline, ledger.idle) == {1: 60, 2: 200}


def test_idle_time_is_told_apart_by_what_the_host_did_and_never_counted_twice() -> None:
    tape = two_lines()
    op = tape.op("aten::mm", 10, 50)
    tape.launched(op, (20, 30), (0, 100))
    tape.fetch(200, 500)
    tape.runtime("cudaStreamSynchronize", 400, 600, correlation=3)  # half of it in the fetch
    tape.launched(op, (20, 30), (900, 1000))
    _, ledger = ledger_of(tape)
    assert dict(ledger.idle_kind) == {"data": 300, "sync": 100, "overhead": 400}
    assert ledger.idle_ns == 800
