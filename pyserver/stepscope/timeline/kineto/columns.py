"""Events -> columns, in the order in which they stand in the file.

Times become whole nanoseconds since an hour before the file's first event: microseconds since 1970
leave a float no room for nanoseconds, and the first event in the file is not the earliest.
"""

from __future__ import annotations

import ast
import json
from array import array
from dataclasses import dataclass, field
from typing import Any

from stepscope.timeline.kineto.spellings import (
    ANNOTATION,
    CATEGORIES,
    DEVICE,
    FRAME,
    MEMORY,
    OP,
    RUNTIME,
    is_operator,
)

_LATEST_US = float(2**63 // 1000)
_LONGEST_US = float(2**48 // 1000)
_LONGEST_NAME = 4096
_AN_HOUR_US = 3_600_000_000
_LONGEST_SHAPES = 20_000


def _integers() -> array[int]:
    return array("q")


@dataclass(slots=True)
class Host:
    """Operators and runtime calls. ``stack`` is a number of ``strings``, -1 without."""

    name: array[int] = field(default_factory=_integers)
    start: array[int] = field(default_factory=_integers)
    duration: array[int] = field(default_factory=_integers)
    thread: array[int] = field(default_factory=_integers)
    kind: array[int] = field(default_factory=_integers)
    sequence: array[int] = field(default_factory=_integers)
    forward_thread: array[int] = field(default_factory=_integers)
    correlation: array[int] = field(default_factory=_integers)
    external: array[int] = field(default_factory=_integers)
    inputs: array[int] = field(default_factory=_integers)


@dataclass(slots=True)
class Device:
    """Kernels, copies and memsets."""

    name: array[int] = field(default_factory=_integers)
    start: array[int] = field(default_factory=_integers)
    duration: array[int] = field(default_factory=_integers)
    device: array[int] = field(default_factory=_integers)
    stream: array[int] = field(default_factory=_integers)
    kind: array[int] = field(default_factory=_integers)
    correlation: array[int] = field(default_factory=_integers)
    external: array[int] = field(default_factory=_integers)


@dataclass(slots=True)
class Spans:
    """Python functions, or annotations of the host."""

    name: array[int] = field(default_factory=_integers)
    start: array[int] = field(default_factory=_integers)
    duration: array[int] = field(default_factory=_integers)
    thread: array[int] = field(default_factory=_integers)


@dataclass(slots=True)
class Allocations:
    """``[memory]`` events; ``total`` is what the allocator held afterwards, -1 not recorded."""

    time: array[int] = field(default_factory=_integers)
    address: array[int] = field(default_factory=_integers)
    size: array[int] = field(default_factory=_integers)
    total: array[int] = field(default_factory=_integers)
    reserved: array[int] = field(default_factory=_integers)
    device: array[int] = field(default_factory=_integers)
    thread: array[int] = field(default_factory=_integers)


def printable(text: str) -> str:
    """A name as it may be shown: no terminal's control sequence, no half character, no novel."""
    if len(text) > _LONGEST_NAME:
        text = text[:_LONGEST_NAME] + "…"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


class Columns:
    """All that is read of a trace. Threads are numbered by process and thread."""

    def __init__(self) -> None:
        self.host = Host()
        self.device = Device()
        self.frames = Spans()
        self.annotations = Spans()
        self.allocations = Allocations()
        self.stacks: dict[int, int] = {}  # row of host -> string: the call stack of torch 1.8
        self.strings: list[str] = []
        self.threads: dict[tuple[Any, Any], int] = {}
        self.damaged = 0  # events without a time that can be, left out
        self.count = 0
        self.base_us: int | None = None  # what the times are counted from
        self._numbers: dict[str, int] = {}
        self._roles: dict[int, bool] = {}
        self._inputs: dict[tuple[bytes, bytes, bytes], int] = {}
        self._streams: dict[Any, int] = {}

    def string(self, text: str) -> int:
        """The text's number."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.strings)
            self.strings.append(printable(text))
        return number

    def add(self, events: list[Any]) -> None:
        """Take over what is of use in ``events``."""
        self.count += len(events)
        categories, numbers, threads = CATEGORIES, self._numbers, self.threads
        base = self._base(events)
        frames, host = self.frames, self.host
        # A trace has millions of events, nearly all of them functions, operators or calls.
        frame_name, frame_start = frames.name.append, frames.start.append
        frame_duration, frame_thread = frames.duration.append, frames.thread.append
        host_name, host_start = host.name.append, host.start.append
        host_duration, host_thread = host.duration.append, host.thread.append
        host_kind, host_correlation = host.kind.append, host.correlation.append
        for event in events:
            kind = categories.get(event.cat)
            if kind is None:
                if event.name == MEMORY:
                    self._add_allocation(event)
                continue
            ts, dur = event.ts, event.dur
            if not (base <= ts < _LATEST_US and 0 <= dur < _LONGEST_US):
                self.damaged += 1
                continue
            name = event.name
            number = numbers.get(name)
            if number is None:
                number = self.string(name)
            start, duration = round((ts - base) * 1000), round(dur * 1000)
            if DEVICE <= kind < FRAME:
                self._add_device(event.args, event, kind, number, start, duration)
                continue
            key = (event.pid, event.tid)
            thread = threads.get(key)
            if thread is None:
                thread = self._thread(key)
            if kind == FRAME:
                frame_name(number)
                frame_start(start)
                frame_duration(duration)
                frame_thread(thread)
                continue
            if kind != RUNTIME:
                if not self._is_operator(number, kind):
                    self._add_annotation(number, start, duration, thread)
                    continue
                self._add_operator(event.args)
                kind = OP
                host_correlation(0)
            else:
                self._add_call(event.args)
            host_name(number)
            host_start(start)
            host_duration(duration)
            host_thread(thread)
            host_kind(kind)

    def _base(self, events: list[Any]) -> int:
        if self.base_us is None:
            first = next((e.ts for e in events if e.cat and 0 <= e.ts < _LATEST_US), None)
            if first is not None:
                self.base_us = max(0, int(first) - _AN_HOUR_US)
        return self.base_us or 0

    def _is_operator(self, number: int, kind: int) -> bool:
        key = number << 1 | (kind == ANNOTATION)
        role = self._roles.get(key)
        if role is None:
            role = self._roles[key] = is_operator(self.strings[number], kind == ANNOTATION)
        return role

    def _add_operator(self, args: Any) -> None:
        host = self.host
        if args is None:
            host.sequence.append(-1)
            host.forward_thread.append(0)
            host.external.append(0)
            host.inputs.append(-1)
            return
        sequence = args.sequence
        host.sequence.append(-1 if sequence is None else sequence)
        host.forward_thread.append(args.forward_thread or 0)
        host.external.append(args.external or args.external_before or 0)
        host.inputs.append(self._describe(args) if args.shapes else -1)
        if args.stack:
            self.stacks[len(host.kind)] = self.string(args.stack)

    def _add_call(self, args: Any) -> None:
        host = self.host
        host.sequence.append(-1)
        host.forward_thread.append(0)
        host.inputs.append(-1)
        host.correlation.append(0 if args is None else args.correlation or 0)
        host.external.append(0)

    def _add_annotation(self, number: int, start: int, duration: int, thread: int) -> None:
        spans = self.annotations
        spans.name.append(number)
        spans.start.append(start)
        spans.duration.append(duration)
        spans.thread.append(thread)

    def _add_device(
        self, args: Any, event: Any, kind: int, number: int, start: int, duration: int
    ) -> None:
        table = self.device
        device, stream, correlation, external = event.pid, event.tid, 0, 0
        if args is not None:
            device = event.pid if args.device is None else args.device
            stream = event.tid if args.stream is None else args.stream
            correlation = args.correlation or 0
            external = args.external or args.external_before or 0
        table.name.append(number)
        table.start.append(start)
        table.duration.append(duration)
        table.device.append(device if isinstance(device, int) and 0 <= device < 2**20 else 0)
        table.stream.append(
            stream
            if isinstance(stream, int) and abs(stream) < 2**31
            else self._streams.setdefault(stream, -2 - len(self._streams))
        )
        table.kind.append(kind)
        table.correlation.append(correlation)
        table.external.append(external)

    def _add_allocation(self, event: Any) -> None:
        args = event.args
        if args is None or args.size is None or not (self.base_us or 0) <= event.ts < _LATEST_US:
            return
        table = self.allocations
        table.time.append(round((event.ts - (self.base_us or 0)) * 1000))
        table.address.append(args.address or 0)
        table.size.append(args.size)
        table.total.append(-1 if args.total is None else args.total)
        table.reserved.append(-1 if args.reserved is None else args.reserved)
        on_host = not args.device_type  # 0 is the CPU
        table.device.append(-1 if on_host else (args.device_id or 0))
        table.thread.append(self._thread((event.pid, event.tid)))

    def _thread(self, key: tuple[Any, Any]) -> int:
        pid, tid = key
        # torch 1.8 writes the same thread as a number here and as a text there.
        if isinstance(tid, str) and tid.lstrip("-").isdecimal() and len(tid) < 19:
            tid = int(tid)
        number = self.threads.setdefault((pid, tid), len(self.threads))
        self.threads[key] = number
        return number

    def _describe(self, args: Any) -> int:
        key = (bytes(args.shapes), bytes(args.dtypes), bytes(args.values))
        number = self._inputs.get(key)
        if number is None:
            number = self._inputs[key] = self.string(_inputs_text(*key))
        return number


def _inputs_text(shapes: bytes, dtypes: bytes, values: bytes) -> str:
    """The three as ``attribution.inputs.parse_inputs`` reads them."""
    try:
        types = json.loads(dtypes) if dtypes else []
        given = json.loads(values) if values else []
    except ValueError:
        types, given = [], []
    if len(shapes) > _LONGEST_SHAPES:
        shapes = b"[]"
    words = ",".join(str(word) for word in types) if isinstance(types, list) else ""
    literal = [_literal(str(value)) for value in given] if isinstance(given, list) else []
    return f"{shapes.decode('utf-8', 'replace')}|{words}|{literal if literal else ''}"


def _literal(text: str) -> Any:
    """A concrete input: a number, a truth value, a list of them, or None."""
    if not text or len(text) > 1000:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
