"""From a timeline to the profile: scaled to the clean step, merged into lines, sound."""

from __future__ import annotations

import pytest

from stepscope.attribution.attribute import AttributionError, attribute
from stepscope.attribution.check import self_check
from stepscope.attribution.model import LineCost, Profile
from tests.timelines import BACKWARD_THREAD, Tape

MS = 1_000_000
SCHEMAS = {"aten::mm": "new", "aten::relu": "new", "aten::item": "new"}


def training(device: str = "cpu", clean_ns: tuple[int, ...] = (5 * MS,)) -> Tape:
    """A step of 10 ms: line 1 forward (0 to 4), line 2 backward (4 to 8), line 3 (8 to 10).

    The profiler doubles it, and the clean pass says 5 ms.
    """
    tape = Tape(0, 10 * MS, device=device, clean_ns=list(clean_ns), schemas=SCHEMAS)
    tape.line(0, 1)
    forward = tape.op("aten::mm", 0, 3 * MS, sequence=7)
    tape.line(4 * MS, 2)
    node = tape.node("MmBackward0", 4 * MS, 7 * MS, 7)
    inner = tape.op("aten::mm", 5 * MS, 7 * MS)
    tape.line(8 * MS, 3)
    if device != "cpu":
        tape.launched(forward, (1 * MS, 1 * MS), (2 * MS, 4 * MS))
        tape.launched(inner, (5 * MS, 5 * MS), (5 * MS, 8 * MS))
        tape.runtime("cudaStreamSynchronize", 8 * MS, 9 * MS)
    assert node >= 0
    return tape


def profiled(tape: Tape) -> tuple[Profile, dict[int, LineCost]]:
    profile = attribute(tape.timeline()).profile
    assert self_check(profile) == []
    return profile, {line.line: line for line in profile.lines}


def test_costs_are_shares_of_the_clean_step() -> None:
    profile, lines = profiled(training())
    assert profile.step_ms.median == 5.0
    assert profile.tax == pytest.approx(2.0)
    # 4 ms of forward and 3 of backward, of 10, belong to line 1.
    assert {n: line.cost_ms for n, line in lines.items()} == pytest.approx({1: 3.5, 2: 0.5, 3: 1.0})
    assert {n: line.host_ms for n, line in lines.items()} == pytest.approx({1: 2.0, 2: 2.0, 3: 1.0})
    assert (lines[1].forward_ms, lines[1].backward_ms) == pytest.approx((1.5, 1.5))
    assert lines[1].work_ms == pytest.approx(3.0)
    assert profile.unattributed.cost_ms == pytest.approx(0.0)


def test_host_times_come_from_the_recording_without_the_profiler() -> None:
    tape = training()
    alone = Tape(0, 6 * MS, kind="lines")
    tape.also(alone)
    alone.line(0, 1)
    alone.line(3 * MS, 2)
    alone.line(5 * MS, 3)
    _, lines = profiled(tape)
    # Half of the clock's step is line 1; of that line's own time three quarters are its operator.
    assert {n: line.host_ms for n, line in lines.items()} == pytest.approx(
        {1: 2.5, 2: 5 / 3, 3: 5 / 6}
    )
    assert lines[1].forward_ms == pytest.approx(2.5 * 3 / 4)
    assert lines[1].backward_ms == pytest.approx(5 / 3 * 3 / 4)


def test_on_a_device_costs_are_busy_time_where_launched_and_idle_time_where_the_host_was() -> None:
    profile, lines = profiled(training("cuda:0", clean_ns=(10 * MS,)))
    assert (lines[1].forward_ms, lines[1].backward_ms) == pytest.approx((2.0, 3.0))
    idle = {n: line.device_idle_ms for n, line in lines.items()}
    assert idle == pytest.approx({1: 2.0, 2: 1.0, 3: 2.0})
    assert lines[1].cost_ms == pytest.approx(7.0)
    assert lines[3].wait_ms.sync == pytest.approx(1.0)
    assert lines[1].wait_ms.sync == 0.0
    assert lines[1].launches == 2.0
    assert profile.totals.device_busy_ms == pytest.approx(5.0)
    assert profile.breakdown.sync == pytest.approx(0.1)


def test_a_wait_is_never_longer_than_its_line() -> None:
    # The clean step is half as long as the recorded one, so the line is too.
    _, lines = profiled(training("cuda:0"))
    assert lines[3].wait_ms.sync == pytest.approx(1.0)
    tape = training("cuda:0")
    alone = Tape(0, 10 * MS, kind="lines")
    tape.also(alone)
    alone.line(0, 1)
    alone.line(9 * MS, 2)
    alone.line(10 * MS - MS // 2, 3)
    _, lines = profiled(tape)
    assert lines[3].wait_ms.sync == pytest.approx(lines[3].host_ms)


def test_busy_time_beyond_the_clean_step_is_brought_down_to_it() -> None:
    profile, lines = profiled(training("cuda:0", clean_ns=(4 * MS,)))
    assert lines[1].work_ms == pytest.approx(4.0)
    assert profile.breakdown.overhead == pytest.approx(0.0)


def test_a_device_that_recorded_nothing_is_not_measured_and_says_so() -> None:
    tape = training()
    tape.facts |= {"device_type": "cuda", "device_index": 0}
    profile, lines = profiled(tape)
    assert any("No device event was recorded" in note for note in profile.notes)
    assert lines[1].device_idle_ms is None
    assert lines[3].wait_ms.sync is None
    assert profile.totals.device_busy_ms is None


def test_work_of_another_thread_is_work_but_no_part_of_the_step() -> None:
    tape = training()
    tape.line(0, 70, function="worker", thread=300)
    tape.op("aten::relu", MS, 3 * MS, thread=300)
    profile, lines = profiled(tape)
    assert lines[70].work_ms == pytest.approx(1.0)
    assert lines[70].cost_ms == 0.0
    assert sum(line.cost_ms for line in profile.lines) == pytest.approx(5.0)


def test_two_functions_on_one_line_are_one_line_named_after_the_longer() -> None:
    tape = Tape(0, 10 * MS)
    tape.line(0, 1)
    tape.line(2 * MS, 5, function="main")
    tape.enter(3 * MS, "main.<locals>.<lambda>")
    tape.line(3 * MS, 5, function="main.<locals>.<lambda>")
    tape.leave(9 * MS, "main.<locals>.<lambda>")
    _, lines = profiled(tape)
    assert lines[5].host_ms == pytest.approx(8.0)
    assert lines[5].function == "main.<locals>.<lambda>"
    assert lines[5].calls == 2.0


def test_code_that_outran_the_clock_is_not_exact() -> None:
    tape = Tape(0, 10 * MS)
    tape.line(0, 1)
    tape.enter(MS, "hot")
    tape.line(MS, 50, function="hot")
    tape.bounded("hot", 2 * MS)
    tape.leave(6 * MS, "hot")
    profile, lines = profiled(tape)
    assert (lines[1].exact, lines[50].exact) == (True, False)
    assert profile.coverage.host == pytest.approx(0.5)


def test_what_has_no_line_is_named() -> None:
    tape = Tape(0, 10 * MS)
    tape.op("aten::mm", MS, 3 * MS)
    profile, lines = profiled(tape)
    assert lines == {}
    assert profile.unattributed.cost_ms == pytest.approx(10.0)
    assert [cost.name for cost in profile.unattributed.ops] == ["aten::mm"]
    assert profile.coverage.work == 0.0


def test_a_run_without_clean_steps_says_that_its_time_includes_the_profiler() -> None:
    profile, _ = profiled(training(clean_ns=()))
    assert profile.step_ms.median == pytest.approx(10.0)
    assert any("includes what the profiler cost" in note for note in profile.notes)


@pytest.mark.parametrize("kind", ["lines", "detail"])
def test_a_run_without_a_mapped_step_is_no_profile(kind: str) -> None:
    with pytest.raises(AttributionError):
        attribute(Tape(0, 100, kind=kind).timeline())


def test_a_window_without_one_whole_step_is_no_profile() -> None:
    with pytest.raises(AttributionError):
        attribute(Tape(0).timeline())


# -- the breakdown --------------------------------------------------------------------------------


def shares(profile: Profile) -> dict[str, float]:
    breakdown = profile.breakdown
    found = {name: getattr(breakdown, name) for name in breakdown.__dataclass_fields__}
    assert sum(found.values()) == pytest.approx(1.0)
    return {name: share for name, share in found.items() if share}


def test_on_the_cpu_each_moment_goes_by_its_operators_regime() -> None:
    tape = Tape(0, 10 * MS, schemas=SCHEMAS)
    tape.line(0, 1)
    tape.op("aten::mm", 0, 4 * MS)
    tape.op("aten::relu", 4 * MS, 6 * MS)
    tape.line(7 * MS, 2)
    tape.line(9 * MS, 3)
    tape.fetch(9 * MS, 10 * MS)
    detail = Tape(20 * MS, 30 * MS, kind="detail")
    tape.also(detail)
    detail.line(20 * MS, 1)
    detail.op("aten::mm", 20 * MS, 24 * MS, inputs="[[1000, 1000], [1000, 1000]]|float,float")
    detail.op("aten::relu", 24 * MS, 26 * MS, inputs="[[1000, 1000]]|float")
    profile, lines = profiled(tape)
    assert shares(profile) == pytest.approx(
        {"compute": 0.4, "memory": 0.2, "overhead": 0.1, "other": 0.2, "data": 0.1}
    )
    assert lines[1].flops == 2e9
    assert lines[1].regime == "compute"


def test_on_a_device_busy_moments_go_by_what_ran_and_idle_ones_by_what_the_host_did() -> None:
    tape = Tape(0, 10 * MS, device="cuda:0", schemas=SCHEMAS)
    tape.line(0, 1)
    op = tape.op("aten::mm", 0, MS)
    copy = tape.op("aten::copy_", MS, 2 * MS)
    reduce = tape.op("c10d::allreduce_", 2 * MS, 3 * MS)
    tape.launched(op, (0, 0), (0, 3 * MS))
    pinned = "Memcpy HtoD (Pinned -> Device)"
    tape.launched(copy, (MS, MS), (3 * MS, 4 * MS), kind="memcpy", name=pinned)
    tape.launched(op, (MS, MS), (4 * MS, 5 * MS), kind="memset", name="Memset (Device)")
    tape.launched(reduce, (2 * MS, 2 * MS), (5 * MS, 6 * MS), name="ncclDevKernel_AllReduce")
    tape.fetch(6 * MS, 7 * MS)
    tape.runtime("cudaStreamSynchronize", 7 * MS, 9 * MS)
    detail = Tape(20 * MS, 30 * MS, kind="detail")
    tape.also(detail)
    detail.line(20 * MS, 1)
    detail.op("aten::mm", 20 * MS, 24 * MS, inputs="[[1000, 1000], [1000, 1000]]|float,float")
    profile, _ = profiled(tape)
    assert shares(profile) == pytest.approx(
        {
            "compute": 0.3, "copy": 0.1, "memory": 0.1, "communication": 0.1,
            "data": 0.1, "sync": 0.2, "overhead": 0.1,
        }
    )  # fmt: skip


def test_memory_on_the_report_is_that_of_the_examined_step() -> None:
    tape = training()
    detail = Tape(20 * MS, 30 * MS, 40 * MS, kind="detail")
    tape.also(detail)
    for begin in (20 * MS, 30 * MS):
        detail.line(begin, 1)
    detail.resident(29 * MS, (1, 500, False), parameter=[1])
    detail.allocate(31 * MS, 2, 100, thread=BACKWARD_THREAD // 100)
    profile, lines = profiled(tape)
    assert profile.memory is not None
    assert profile.memory.peak_bytes == 600
    assert profile.memory.peak_line == lines[1].key
    assert lines[1].live_at_peak_bytes == lines[1].allocated_bytes == 100
