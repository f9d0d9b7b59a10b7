"""The trace that we write says what was recorded, to the nanosecond, and whose it is."""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.report.exports.analysed import Analysed
from stepscope.report.exports.chrome_trace import (
    HOST_PID,
    LINES_PID,
    NoEvents,
    write_chrome_trace,
)
from stepscope.timeline.model import MemoryEvents
from tests import factories as make
from tests.timelines import BACKWARD_THREAD, FILE, STEP_THREAD, Tape, recording_of

EPOCH = 1_796_072_252_148_475_049
"""Nanoseconds; as microseconds in a double they would lose a quarter of one."""

HOSTILE = ("</script>\"'<b>", "\x1b[31mred", "\udcff", "line\nbreak\t\x00", "日本", "=1+1")


def gpu_tape() -> Tape:
    """Two steps from 100 to 300; line 11 from 100, line 12 from 150, again from 200 and 250."""
    tape = Tape(*(EPOCH + tick for tick in (100, 200, 300)), device="cuda:0")
    for step in (100, 200):
        begin = EPOCH + step
        tape.line(begin, 11, "Net.forward")
        tape.line(begin + 50, 12, "main")
        forward = tape.op("aten::mm", begin + 5, begin + 20, sequence=step)
        tape.launched(forward, (begin + 10, begin + 12), (begin + 20, begin + 41), name="gemm")
        node = tape.node("MmBackward0", begin + 60, begin + 80, step, thread=BACKWARD_THREAD)
        tape.launched(
            node, (begin + 65, begin + 66), (begin + 70, begin + 83),
            name="gemm_backward", stream=9, thread=BACKWARD_THREAD,
        )  # fmt: skip
        tape.launched(
            None, (begin + 85, begin + 86), (begin + 87, begin + 88), name="Memcpy HtoD",
            kind="memcpy", api="cudaMemcpyAsync",
        )  # fmt: skip
    return tape


def written(tape: Tape, **fields: Any) -> dict[str, Any]:
    timeline = tape.timeline()
    if "memory" in fields:
        recording_of(timeline).memory = fields.pop("memory")
    report = make.report(**({"findings": []} | fields))
    out = io.StringIO()
    write_chrome_trace(Analysed(report, attribute(timeline)), out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def spans(found: dict[str, Any], category: str | None = None) -> list[dict[str, Any]]:
    return [
        event
        for event in found["traceEvents"]
        if event["ph"] == "X" and category in (None, event["cat"])
    ]


def ns(found: dict[str, Any], us: float) -> int:
    return int(found["baseTimeNanoseconds"]) + round(us * 1000)


def test_device_work_comes_back_to_the_nanosecond() -> None:
    found = written(gpu_tape())
    kernels = [
        (e["name"], ns(found, e["ts"]) - EPOCH, round(e["dur"] * 1000), e["pid"], e["tid"])
        for e in (*spans(found, "kernel"), *spans(found, "gpu_memcpy"))
    ]
    assert sorted(kernels) == [
        ("Memcpy HtoD", 187, 1, 0, 7), ("Memcpy HtoD", 287, 1, 0, 7),
        ("gemm", 120, 21, 0, 7), ("gemm", 220, 21, 0, 7),
        ("gemm_backward", 170, 13, 0, 9), ("gemm_backward", 270, 13, 0, 9),
    ]  # fmt: skip
    for event in spans(found, "kernel"):
        assert (event["args"]["device"], event["args"]["stream"]) == (0, event["tid"])


def test_every_event_is_one_that_the_format_knows() -> None:
    found = written(gpu_tape(), findings=[(make.finding(), make.fix())])
    needed = {
        "X": {"name", "cat", "ts", "dur", "pid", "tid"},
        "M": {"name", "pid", "args"},
        "i": {"name", "cat", "ts", "pid", "tid", "s"},
        "s": {"id", "cat", "name", "ts", "pid", "tid"},
        "f": {"id", "cat", "name", "ts", "pid", "tid", "bp"},
    }
    for event in found["traceEvents"]:
        assert needed[event["ph"]] <= set(event)
        assert isinstance(event["pid"], int)
        if event["ph"] != "M":
            assert event["ts"] >= 0
    assert found["displayTimeUnit"] == "ms"
    assert found["deviceProperties"] == [{"id": 0, "name": "Card"}]


def test_spans_of_one_lane_lie_inside_one_another_or_apart() -> None:
    found = written(gpu_tape())
    lanes: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for event in spans(found):
        begin = ns(found, event["ts"])
        lanes[(event["pid"], event["tid"])].append((begin, begin + round(event["dur"] * 1000)))
    assert len(lanes) == 5  # two host threads, two streams, the lines of the step's thread
    for lane in lanes.values():
        open_ends: list[int] = []
        for begin, end in sorted(lane, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)


def test_work_carries_the_line_that_caused_it() -> None:
    found = written(gpu_tape())

    def lines(name: str) -> set[tuple[Any, ...]]:
        return {
            (e["args"].get("line"), e["args"].get("function"), e["args"].get("ran at"))
            for e in spans(found)
            if e["name"] == name
        }

    assert lines("gemm") == {(11, "Net.forward", None)}
    assert lines("gemm_backward") == {(11, "Net.forward", None)}
    assert lines("aten::mm") == {(11, "Net.forward", None)}
    assert lines("MmBackward0") == {(11, "Net.forward", None)}
    assert lines("Memcpy HtoD") == {(12, "main", None)}
    assert lines("cudaLaunchKernel") == {(11, "Net.forward", None)}
    assert {e["args"]["file"] for e in spans(found, "kernel")} == {FILE}


def test_an_operator_that_ran_on_another_line_says_where() -> None:
    tape = Tape(0, 100)
    tape.line(0, 11, "Net.forward")
    tape.line(50, 12, "main")
    tape.op("aten::mm", 10, 20, sequence=1)
    tape.node("MmBackward0", 60, 80, 1)
    ran = {e["name"]: e["args"].get("ran at") for e in spans(written(tape), "cpu_op")}
    assert ran["MmBackward0"] == f"{FILE}:12"
    assert ran["aten::mm"] is None


def test_flows_lead_from_each_launch_to_its_work() -> None:
    found = written(gpu_tape())
    begins = {e["id"]: e for e in found["traceEvents"] if e["ph"] == "s"}
    ends = {e["id"]: e for e in found["traceEvents"] if e["ph"] == "f"}
    assert len(begins) == len(ends) == 6
    calls = {e["args"]["correlation"]: e for e in spans(found, "cuda_runtime")}
    on_device = [*spans(found, "kernel"), *spans(found, "gpu_memcpy")]
    for number, begin in begins.items():
        assert (begin["ts"], begin["tid"]) == (calls[number]["ts"], calls[number]["tid"])
        work = [e for e in on_device if e["args"]["correlation"] == number]
        assert [(e["ts"], e["tid"]) for e in work] == [(ends[number]["ts"], ends[number]["tid"])]


def test_a_launch_without_work_has_no_flow() -> None:
    tape = gpu_tape()
    tape.runtime("cudaDeviceSynchronize", EPOCH + 190, EPOCH + 195, correlation=7)
    phases = Counter(event["ph"] for event in written(tape)["traceEvents"])
    assert phases["s"] == phases["f"] == 6


def test_lines_have_lanes_and_no_moment_twice() -> None:
    found = written(gpu_tape())
    lane = spans(found, "user_line")
    assert [
        (e["name"], ns(found, e["ts"]) - EPOCH, round(e["dur"] * 1000), e["pid"], e["tid"])
        for e in lane
    ] == [
        ("train.py:11 Net.forward", 100, 50, LINES_PID, STEP_THREAD),
        ("train.py:12 main", 150, 50, LINES_PID, STEP_THREAD),
        ("train.py:11 Net.forward", 200, 50, LINES_PID, STEP_THREAD),
        ("train.py:12 main", 250, 50, LINES_PID, STEP_THREAD),
    ]
    for event, after in pairwise(lane):
        assert event["ts"] + event["dur"] <= after["ts"] + 1e-6


def test_a_line_that_goes_on_is_one_span_with_its_code() -> None:
    tape = Tape(0, 100)
    for time in (0, 20, 40):
        tape.line(time, make.line_of("self.a(x)"))
    tape.op("aten::mm", 10, 20)
    found = written(tape, sources={FILE: make.SOURCE})
    (event,) = spans(found, "user_line")
    assert event["dur"] == 0.1
    assert event["args"]["code"] == "y = self.a(x)"


def test_steps_are_marked_once() -> None:
    found = written(gpu_tape())
    marks = [e for e in spans(found) if e["name"].startswith("ProfilerStep#")]
    assert [(e["name"], ns(found, e["ts"]) - EPOCH, e["dur"], e["tid"]) for e in marks] == [
        ("ProfilerStep#0", 100, 0.1, STEP_THREAD),
        ("ProfilerStep#1", 200, 0.1, STEP_THREAD),
    ]
    assert {e["pid"] for e in marks} == {HOST_PID}
    tape = gpu_tape()
    tape._row("annotation", "ProfilerStep#7", EPOCH + 100, EPOCH + 200, 1, STEP_THREAD)
    marks = [e for e in spans(written(tape)) if e["name"].startswith("ProfilerStep#")]
    assert [e["name"] for e in marks] == ["ProfilerStep#7"]


def test_findings_stand_where_their_line_first_runs() -> None:
    findings = [
        (make.finding(12, file=FILE, rule="sync-in-step"), make.fix()),
        (make.finding(99, file=FILE, rule="slow-input", gain_ms=None), None),
    ]
    found = written(gpu_tape(), findings=findings)
    notes = {e["name"]: e for e in found["traceEvents"] if e.get("cat") == "finding"}
    assert ns(found, notes["sync-in-step"]["ts"]) == EPOCH + 150
    assert notes["slow-input"]["ts"] == 0
    arguments = notes["sync-in-step"]["args"]
    assert arguments["evidence"] == {"wait_ms": 1.5, "per_step": 1.0, "kind": "item"}
    assert arguments["gain_ms"] == [0.5, 1.5]
    assert arguments["fix"] == "Print the loss every 100 steps"
    assert arguments["message"].startswith("`loss.item()`")


def test_processes_threads_and_streams_have_names() -> None:
    names = {
        (e["name"], e["pid"], e["tid"]): next(iter(e["args"].values()))
        for e in written(gpu_tape())["traceEvents"]
        if e["ph"] == "M"
    }
    assert names[("process_labels", 0, 0)] == "GPU 0"
    assert names[("thread_name", 0, 9)] == "stream 9"
    assert names[("process_name", LINES_PID, 0)] == "Stepscope: source lines"
    assert names[("thread_name", HOST_PID, STEP_THREAD)] == f"thread {STEP_THREAD} (the step)"
    assert names[("thread_name", HOST_PID, BACKWARD_THREAD)] == f"thread {BACKWARD_THREAD}"


def test_numbers_that_viewers_cannot_hold_are_replaced_and_stay_apart() -> None:
    tape = Tape(0, 100, device="cuda:0")
    large = (140_234_567_890_100, 140_234_567_890_200)
    for number, thread in enumerate(large):
        op = tape.op("aten::mm", 10, 20, thread=STEP_THREAD + 100 * number)
        tape.launched(op, (12, 13), (20, 30), stream=-1 - number)
        tape.rows[op]["native"] = thread
    found = written(tape)
    events = [*spans(found, "cpu_op"), *spans(found, "kernel")]
    lanes = {(event["cat"], event["pid"], event["tid"]) for event in events}
    assert len(lanes) == 4
    assert all(0 <= number < 2**31 for _, *numbers in lanes for number in numbers)
    names = {e["tid"]: e["args"]["name"] for e in found["traceEvents"]
             if e["name"] == "thread_name" and e["pid"] == HOST_PID}  # fmt: skip
    assert {f"thread {thread}" for thread in large} < set(names.values())


def test_memory_goes_along() -> None:
    memory = MemoryEvents([EPOCH + 110], [4096], [512], [1], [0], [1512], [2000])
    found = written(gpu_tape(), memory=memory)
    (event,) = [e for e in found["traceEvents"] if e["name"] == "[memory]"]
    assert (event["tid"], ns(found, event["ts"])) == (STEP_THREAD, EPOCH + 110)
    assert event["args"] == {
        "Addr": 4096, "Bytes": 512, "Device Type": 1, "Device Id": 0,
        "Total Allocated": 1512, "Total Reserved": 2000,
    }  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_data(name: str) -> None:
    tape = Tape(0, 100, device="cuda:0")
    tape.line(0, 11, name)
    op = tape.op(name, 10, 20)
    tape.launched(op, (12, 13), (20, 30), name=name)
    finding = make.finding(11, file=FILE, message=name)
    found = written(tape, findings=[(finding, None)])
    assert {e["name"] for e in spans(found, "cpu_op")} == {name}
    assert {e["name"] for e in spans(found, "kernel")} == {name}
    (lane,) = spans(found, "user_line")
    assert lane["args"]["function"] == name
    (note,) = [e for e in found["traceEvents"] if e.get("cat") == "finding"]
    assert note["args"]["message"] == name


class _Pieces(io.StringIO):
    """Remembers the longest piece that it was given."""

    longest = pieces = 0

    def write(self, text: str) -> int:
        self.longest = max(self.longest, len(text))
        self.pieces += 1
        return len(text)


def test_a_trace_is_written_event_by_event() -> None:
    tape = Tape(0, 100_000)
    tape.line(0, 11)
    for time in range(0, 100_000, 50):
        tape.op("aten::mm", time, time + 40)
    out = _Pieces()
    write_chrome_trace(Analysed(make.report(), attribute(tape.timeline())), out)
    assert out.pieces > 2000
    assert out.longest < 2000


def test_without_events_there_is_no_trace() -> None:
    with pytest.raises(NoEvents, match="no events"):
        write_chrome_trace(Analysed(make.memory_only(), None), io.StringIO())
