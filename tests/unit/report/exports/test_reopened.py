"""A trace that we wrote, opened again, gives the figures that it was written from."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from stepscope.analysis import analyse_timeline
from stepscope.opening import open_recordings
from stepscope.report.exports.analysed import Analysed
from stepscope.report.exports.chrome_trace import write_chrome_trace
from stepscope.report.exports.files import written_whole
from stepscope.timeline.model import MemoryEvents
from tests.timelines import BACKWARD_THREAD, Tape, recording_of
from tests.unit.traces.recordings import path_of

EPOCH = 1_796_072_252_148_475_049


def reopened(analysed: Analysed, folder: Path) -> Analysed:
    path = folder / "again.json.gz"
    with written_whole(path) as out:
        write_chrome_trace(analysed, out)
    return open_recordings([path])


def busy_steps() -> Tape:
    """Two steps of 10 ms: a fetch, forward on stream 7, backward on 9 that overlaps a copy."""
    ms = 1_000_000
    tape = Tape(*(EPOCH + tick * ms for tick in (0, 10, 20)), device="cuda:0", clean_ns=[])
    for begin in (EPOCH, EPOCH + 10 * ms):

        def span(first: float, last: float, begin: int = begin) -> tuple[int, int]:
            return begin + int(first * ms), begin + int(last * ms)

        tape.line(begin, 11)
        tape.fetch(*span(0.001, 2))
        shapes = "[[32, 64], [64, 64]]|float,float"
        op = tape.op("aten::mm", *span(2, 3), sequence=1, inputs=shapes)
        tape.launched(op, span(2.1, 2.2), span(3, 5))
        tape.line(begin + 4 * ms, 12)
        node = tape.node("MmBackward0", *span(5, 6), 1, thread=BACKWARD_THREAD)
        tape.launched(node, span(5.1, 5.2), span(6, 8), stream=9, thread=BACKWARD_THREAD)
        copy = {"kind": "memcpy", "api": "cudaMemcpyAsync", "name": "Memcpy HtoD"}
        tape.launched(None, span(7, 7.001), span(7.002, 9), **copy)
    return tape


def test_device_time_is_the_same_again(tmp_path: Path) -> None:
    timeline = busy_steps().timeline()
    recording_of(timeline).memory = MemoryEvents(
        [EPOCH + 2_500_000], [4096], [512], [1], [0], [1512], [2000]
    )
    profile = reopened(analyse_timeline(timeline), tmp_path).report.profile
    # By hand: 2 ms forward, then 3 ms in which backward and copy overlap, in each of two steps.
    assert profile.totals.device_busy_ms == pytest.approx(2 * 5, abs=1e-4)
    assert profile.step_ms.median == pytest.approx(10, abs=1e-6)
    assert profile.breakdown.data == pytest.approx(0.2, abs=1e-4)
    assert profile.breakdown.copy == pytest.approx(0.1, abs=1e-4)
    assert profile.memory is not None
    assert (profile.memory.peak_bytes, profile.memory.before_bytes) == (1512, 1000)


@pytest.mark.parametrize(
    "name", ["mi300_torch_compile_triton", "a100_recsys_rank0", "h100_bert_small_inference"]
)
def test_a_recorded_trace_written_back_says_the_same(name: str, tmp_path: Path) -> None:
    first = open_recordings([path_of(name)])
    before, after = first.report.profile, reopened(first, tmp_path).report.profile
    assert after.totals.device_busy_ms == pytest.approx(before.totals.device_busy_ms, rel=1e-9)
    assert after.totals.span_ms == pytest.approx(before.totals.span_ms, rel=1e-9)
    assert after.step_ms.median == pytest.approx(before.step_ms.median, rel=1e-9)
    shares = dataclasses.asdict(before.breakdown)
    assert dataclasses.asdict(after.breakdown) == pytest.approx(shares, abs=1e-6)
    if before.memory is not None:
        assert after.memory is not None
        assert after.memory.timeline == before.memory.timeline
