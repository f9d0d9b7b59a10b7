"""The mapped recording as a Chrome trace, in Kineto's spelling, for Perfetto and for us.

What torch's profiler would write (operators, runtime calls, device work on streams, launches as
flows, ``ProfilerStep#`` spans), and what it does not know: the user line of each operator and
kernel as arguments, a lane per thread with the line that was running, the findings at their lines.

Times are microseconds after ``baseTimeNanoseconds``, so that a nanosecond survives in a double.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.inputs import parse_inputs
from stepscope.attribution.launches import ON_DEVICE
from stepscope.report.exports.analysed import Analysed
from stepscope.report.model import Hint
from stepscope.report.source import split_lines
from stepscope.timeline.model import NOWHERE, Ops, Place, Track

HOST_PID = 1_000_000_000
"""Devices are processes of their own, by their number; this one is none of them."""

LINES_PID = HOST_PID + 1

_CATEGORIES = {
    "op": "cpu_op",
    "annotation": "user_annotation",
    "runtime": "cuda_runtime",
    "kernel": "kernel",
    "memcpy": "gpu_memcpy",
    "memset": "gpu_memset",
    "sync": "cuda_sync",
    "overhead": "overhead",
}
_STEP = "ProfilerStep#"
_LOADER = "enumerate(DataLoader)#"

Event = dict[str, Any]


class NoEvents(ValueError):
    """The report was not made from events, so there is no trace to write."""


def write_chrome_trace(analysed: Analysed, out: TextIO) -> None:
    """Write the trace, event by event. Raises ``NoEvents``."""
    attributed = analysed.attributed
    ops = None if attributed is None else attributed.mapped.recording.ops
    if attributed is None or ops is None:
        raise NoEvents("no events were recorded, so there is no trace to write")
    writer = _Writer(attributed, ops, analysed)
    head = {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": writer.base,
        "deviceProperties": writer.devices(),
    }
    out.write(json.dumps(head)[:-1] + ',\n"traceEvents": [\n')
    separator = ""
    lanes = _Lanes()
    for event in writer.events():
        event["pid"], event["tid"] = lanes.number(event["pid"]), lanes.number(event["tid"])
        out.write(separator + json.dumps(event))
        separator = ",\n"
    out.write("\n]}\n")


class _Writer:
    def __init__(self, attributed: Attributed, ops: Ops, analysed: Analysed) -> None:
        timeline, recording = attributed.ledgers.timeline, attributed.mapped.recording
        self._timeline = timeline
        self._recording = recording
        self._ops = ops
        self._analysed = analysed
        self._owned = attributed.mapped.owned
        self._kinds = timeline.kinds
        self._launches = attributed.launches
        starts = [
            *ops.start,
            *recording.bounds[:1],
            *(track.starts[0] for track in recording.tracks.values() if track.starts),
        ]
        self.base = min(starts, default=0)
        ends = [begin + ns for begin, ns in zip(ops.start, ops.duration, strict=True)]
        self._end = max([*ends, *recording.bounds[-1:]], default=self.base)

    def devices(self) -> list[Event]:
        """The accelerator as Kineto describes it, as far as it is known."""
        facts = self._timeline.facts
        if facts.get("device_type", "cpu") == "cpu":
            return []
        return [{"id": facts.get("device_index", 0), "name": facts.get("device_name", "")}]

    def events(self) -> Iterator[Event]:
        yield from self._names()
        yield from self._steps()
        yield from self._fetches()
        for index in self._in_order():
            yield from self._event(index)
        yield from self._memory()
        for thread, track in self._recording.tracks.items():
            yield from self._lines(thread, track)
        for hint in self._analysed.report.hints:
            yield self._finding(hint)

    def _in_order(self) -> Iterator[int]:
        """Operators with parents before children, then everything else as it was recorded."""
        yield from self._owned.order
        operator = self._kinds.index("op")
        yield from (index for index, kind in enumerate(self._ops.kind) if kind != operator)

    def _names(self) -> Iterator[Event]:
        yield _named("process_name", HOST_PID, 0, "python")
        yield _named("process_labels", HOST_PID, 0, "CPU", "labels")
        threads = dict.fromkeys(
            native
            for native, kind in zip(self._ops.native, self._ops.kind, strict=True)
            if self._kinds[kind] not in ON_DEVICE
        )
        for thread in threads:
            yield _named("thread_name", HOST_PID, thread, self._thread_name(thread))
        streams = {
            (self._ops.device[index], self._ops.thread[index])
            for index, kind in enumerate(self._ops.kind)
            if self._kinds[kind] in ON_DEVICE
        }
        for device in sorted({device for device, _ in streams}):
            yield _named("process_name", device, 0, "python")
            yield _named("process_labels", device, 0, f"GPU {device}", "labels")
        for device, stream in sorted(streams):
            yield _named("thread_name", device, stream, f"stream {stream}")
        if self._recording.tracks:
            yield _named("process_name", LINES_PID, 0, "Stepscope: source lines")
        for thread in self._recording.tracks:
            yield _named("thread_name", LINES_PID, thread, self._thread_name(thread))

    def _thread_name(self, thread: int) -> str:
        step = " (the step)" if thread == self._timeline.step_thread else ""
        return f"thread {thread}{step}"

    def _steps(self) -> Iterator[Event]:
        strings = self._timeline.strings
        if any(strings[name].startswith(_STEP) for name in set(self._ops.name)):
            return  # the recording has its own
        for number, (begin, end) in enumerate(pairwise(self._recording.bounds)):
            thread = self._timeline.step_thread
            name = f"{_STEP}{number}"
            yield self._span(name, "user_annotation", HOST_PID, thread, begin, end)

    def _fetches(self) -> Iterator[Event]:
        """What a loader was asked for, under the name that torch gives to it."""
        strings = self._timeline.strings
        if any(strings[name].startswith(_LOADER) for name in set(self._ops.name)):
            return  # the recording has its own
        loaders = self._timeline.facts.get("loaders", [])
        fetches = self._timeline.fetches
        for begin, end, loader, thread in zip(
            fetches.start, fetches.end, fetches.loader, fetches.thread, strict=True
        ):
            if not self.base <= begin <= end <= self._end:
                continue  # of another recording of the same run
            workers = loaders[loader]["num_workers"] if loader < len(loaders) else None
            kind = "_SingleProcess" if workers == 0 else "_MultiProcessing"
            name = f"{_LOADER}{kind}DataLoaderIter.__next__"
            yield self._span(name, "user_annotation", HOST_PID, thread, begin, end)

    def _event(self, index: int) -> Iterator[Event]:
        ops = self._ops
        kind = self._kinds[ops.kind[index]]
        begin = ops.start[index]
        device = kind in ON_DEVICE
        pid = ops.device[index] if device else HOST_PID
        tid = ops.thread[index] if device else ops.native[index]
        event = self._span(
            self._timeline.strings[ops.name[index]],
            _CATEGORIES[kind],
            pid,
            tid,
            begin,
            begin + ops.duration[index],
        )
        event["args"] = self._arguments(index, kind)
        yield event
        correlation = ops.correlation[index]
        if kind == "runtime" and correlation in self._launches.launched:
            yield self._flow("s", correlation, pid, tid, begin)
        elif device and correlation in self._launches.calls:
            yield self._flow("f", correlation, pid, tid, begin) | {"bp": "e"}

    def _arguments(self, index: int, kind: str) -> Event:
        ops = self._ops
        found: Event = {}
        if kind == "op":
            if ops.correlation[index]:
                found["External id"] = ops.correlation[index]
            if ops.sequence[index] >= 0:
                found["Sequence number"] = ops.sequence[index]
                found["Fwd thread id"] = ops.forward_thread[index]
            if ops.inputs[index] >= 0:
                inputs = parse_inputs(self._timeline.strings[ops.inputs[index]])
                found |= {"Input Dims": inputs.shapes, "Input type": inputs.dtypes}
                if inputs.values:
                    found["Concrete Inputs"] = [
                        "" if value is None else str(value) for value in inputs.values
                    ]
            found |= self._place(self._owned.owner[index])
            ran = self._owned.place[index]
            if ran not in (NOWHERE, self._owned.owner[index]):
                found["ran at"] = _where(self._timeline.places[ran])
        elif kind in ("runtime", *ON_DEVICE):
            found["correlation"] = ops.correlation[index]
            operator = self._launches.operator(index)
            linked = ops.correlation[operator] if operator >= 0 else ops.linked[index]
            if linked:
                found["External id"] = linked
            if kind in ON_DEVICE:
                found |= {"device": ops.device[index], "stream": ops.thread[index]}
            found |= self._place(self._launches.place(index, operator))
        return found

    def _place(self, number: int) -> Event:
        if number == NOWHERE:
            return {}
        place = self._timeline.places[number]
        return {"file": place.file, "line": place.line, "function": place.function}

    def _memory(self) -> Iterator[Event]:
        memory = self._recording.memory
        if memory is None:
            return
        native = dict(zip(self._ops.thread, self._ops.native, strict=True))
        for index, time in enumerate(memory.time):
            device = memory.device[index]
            found = {
                "Addr": memory.address[index],
                "Bytes": memory.size[index],
                "Device Type": 0 if device < 0 else 1,
                "Device Id": device,
            }
            for name, column in (
                ("Total Allocated", memory.total),
                ("Total Reserved", memory.reserved),
            ):
                if column is not None and column[index] >= 0:
                    found[name] = column[index]
            yield {
                "ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]",
                "pid": HOST_PID, "tid": native.get(memory.thread[index], memory.thread[index]),
                "ts": self._us(time), "args": found,
            }  # fmt: skip

    def _lines(self, thread: int, track: Track) -> Iterator[Event]:
        """A span for each stretch of one line, a line that ran on as one."""
        begin = 0
        for index in range(1, len(track.starts) + 1):
            last = index == len(track.starts)
            if not last and track.places[index] == track.places[begin]:
                continue
            number = track.places[begin]
            start = track.starts[begin]
            end = max(start, self._end) if last else track.starts[index]
            if number != NOWHERE and end > start:
                place = self._timeline.places[number]
                name = f"{Path(place.file).name}:{place.line} {place.function}"
                event = self._span(name, "user_line", LINES_PID, thread, start, end)
                event["args"] = self._place(number) | {"code": self._code(place)}
                yield event
            begin = index

    def _code(self, place: Place) -> str:
        lines = split_lines(self._analysed.report.profile.sources.get(place.file, ""))
        return lines[place.line - 1].strip() if place.line <= len(lines) else ""

    def _finding(self, hint: Hint) -> Event:
        """An instant where its line runs for the first time, else where the recording begins."""
        finding = hint.finding
        thread = self._timeline.step_thread
        track = self._recording.tracks.get(thread, Track())
        first = next(
            (
                time
                for time, number in zip(track.starts, track.places, strict=True)
                if number != NOWHERE
                and self._timeline.places[number].file == finding.file
                and finding.line <= self._timeline.places[number].line <= finding.end_line
            ),
            self.base,
        )
        return {
            "ph": "i", "s": "p", "cat": "finding", "name": finding.rule,
            "pid": LINES_PID if track.starts else HOST_PID, "tid": thread, "ts": self._us(first),
            "args": {
                "message": finding.message, "severity": finding.severity.value,
                "file": finding.file, "line": finding.line, "evidence": dict(finding.evidence),
                "gain_ms": finding.gain_ms, "fix": None if hint.fix is None else hint.fix.title,
            },
        }  # fmt: skip

    def _span(self, name: str, category: str, pid: int, tid: int, begin: int, end: int) -> Event:
        return {
            "ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
            "ts": self._us(begin), "dur": (end - begin) / 1000,
        }  # fmt: skip

    def _flow(self, phase: str, number: int, pid: int, tid: int, time: int) -> Event:
        return {
            "ph": phase, "id": number, "cat": "ac2g", "name": "ac2g", "pid": pid, "tid": tid,
            "ts": self._us(time),
        }  # fmt: skip

    def _us(self, time: int) -> float:
        return (time - self.base) / 1000


class _Lanes:
    """Viewers keep the numbers of processes and threads in 31 bits; others get one of their own."""

    def __init__(self) -> None:
        self._others: dict[int, int] = {}

    def number(self, given: int) -> int:
        if 0 <= given <= LINES_PID:
            return given
        return self._others.setdefault(given, LINES_PID + 1 + len(self._others))


def _named(kind: str, pid: int, tid: int, text: str, key: str = "name") -> Event:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": 0, "args": {key: text}}


def _where(place: Place) -> str:
    return f"{place.file}:{place.line}"
