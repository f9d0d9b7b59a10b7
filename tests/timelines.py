"""Constructed recordings for tests: what line clock, profiler and device might have written down.

Times are plain nanoseconds that a test can add up in its head. ``Tape`` collects events and gives
the ``Timeline`` that a capture with those events would give, through the same reader. No torch, no
files.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from stepscope.agent.capture import (
    CLOCK_COLUMNS,
    EVENT_KINDS,
    FETCH_COLUMNS,
    MEMORY_COLUMNS,
    OP_COLUMNS,
    Capture,
    Window,
    new_table,
)
from stepscope.timeline.from_capture import build_timeline
from stepscope.timeline.model import NOWHERE, Recording, Timeline

FILE = "/project/train.py"
STEP_THREAD, BACKWARD_THREAD = 100, 200
"""System thread ids; the profiler's own number of a thread is a hundredth of it."""

Row = dict[str, int]


class Tape:
    """One window of steps, event by event. ``op`` and its like return the event's index."""

    def __init__(self, *ticks: int, device: str = "cpu", kind: str = "map", **facts: Any) -> None:
        self.ticks = list(ticks)
        self.kind = kind
        self.window_facts: dict[str, Any] = {"marks": None, "bounded": []}
        self.facts = run_facts(device, self.ticks) | facts
        self.strings: list[str] = []
        self.codes: list[dict[str, Any]] = []
        self.rows: list[Row] = []
        self.clock: list[tuple[int, int, int, int]] = []
        self.memory_rows: list[tuple[int, int, int, int, int]] = []
        self.fetch_rows: list[tuple[int, int, int, int, int]] = []
        self.others: list[Tape] = []
        self._correlation = 1000

    # -- the line clock --------------------------------------------------------------------------

    def line(self, time: int, line: int, function: str = "main", thread: int = STEP_THREAD) -> None:
        """From ``time`` on ``line`` of ``function`` runs; its frame is the innermost one."""
        self.clock.append((time, thread, self._code(function), line))

    def enter(self, time: int, function: str, thread: int = STEP_THREAD) -> None:
        self.clock.append((time, thread, self._code(function), 0))

    def leave(self, time: int, function: str, thread: int = STEP_THREAD) -> None:
        self.clock.append((time, thread, self._code(function), -1))

    def bounded(self, function: str, since: int) -> None:
        """The clock stopped telling the function's lines apart."""
        self.window_facts["bounded"].append([self._code(function), since])

    # -- the profiler ----------------------------------------------------------------------------

    def op(self, name: str, start: int, end: int, thread: int = STEP_THREAD, **fields: Any) -> int:
        """A host operator. It gets a correlation of its own unless given one."""
        self._correlation += 1
        values = {"correlation": self._correlation, "linked": 0} | fields
        return self._row("op", name, start, end, thread // 100, thread, **values)

    def node(self, name: str, start: int, end: int, sequence: int, **fields: Any) -> int:
        """A node of the backward pass: the engine's event and the node's own right below it."""
        thread = fields.pop("thread", STEP_THREAD)
        values = {"sequence": sequence, "forward_thread": 1} | fields
        engine = f"autograd::engine::evaluate_function: {name}"
        above = self.op(engine, start, end, thread, **values)
        self.op(name, start, end, thread, scope=1, **values)
        return above

    def runtime(self, name: str, start: int, end: int, **fields: Any) -> int:
        """A call into the device's runtime: ``correlation``, and ``op`` that made it."""
        thread = fields.pop("thread", STEP_THREAD)
        values = self._linked(fields)
        return self._row("runtime", name, start, end, thread // 100, thread, **values)

    def kernel(self, name: str, start: int, end: int, **fields: Any) -> int:
        """Device work, with the ``correlation`` of its runtime call and the ``op`` it is for."""
        kind = fields.pop("kind", "kernel")
        stream = fields.pop("stream", 7)
        values = {"device": 0} | self._linked(fields)
        return self._row(kind, name, start, end, stream, stream, **values)

    def launched(
        self, op: int | None, call: tuple[int, int], work: tuple[int, int], **fields: Any
    ) -> int:
        """A runtime call and the kernel that it launched, joined by a correlation of their own."""
        self._correlation += 1
        name = fields.pop("name", "kernel")
        api = fields.pop("api", "cudaLaunchKernel")
        thread = fields.pop("thread", STEP_THREAD)
        joined: dict[str, Any] = {"correlation": self._correlation}
        if op is not None:
            joined["op"] = op
        self.runtime(api, call[0], call[1], thread=thread, **joined)
        return self.kernel(name, work[0], work[1], **(joined | fields))

    # -- memory and data -------------------------------------------------------------------------

    def allocate(self, time: int, address: int, size: int, **fields: int) -> None:
        values = {"thread": 1, "device": -1} | fields
        self.memory_rows.append((time, address, size, values["thread"], values["device"]))

    def free(self, time: int, address: int, size: int, **fields: int) -> None:
        self.allocate(time, address, -size, **fields)

    def resident(self, at: int, *rows: tuple[int, int, bool], **owned: list[int]) -> None:
        """What was there at ``at``: (address, bytes, in a graph); ``owned`` addresses by kind."""
        kinds = ("parameter", "gradient", "optimizer")
        self.window_facts["resident_at"] = at
        self.window_facts["resident"] = [list(row) for row in rows]
        self.window_facts["allocator"] = None
        self.window_facts.setdefault("owned", []).append(
            {"time": at, **{kind: owned.get(kind, []) for kind in kinds}}
        )

    def owned(self, time: int, **owned: list[int]) -> None:
        """Addresses of parameters, gradients and optimizer state as of ``time``."""
        kinds = ("parameter", "gradient", "optimizer")
        self.window_facts["owned"].append(
            {"time": time, **{kind: owned.get(kind, []) for kind in kinds}}
        )

    def fetch(self, start: int, end: int, thread: int = STEP_THREAD) -> None:
        self.fetch_rows.append((start, end, 0, 0, thread))

    # -- the result ------------------------------------------------------------------------------

    def also(self, tape: Tape) -> None:
        """Another window of the same run. Its strings and codes become this one's."""
        tape.strings, tape.codes = self.strings, self.codes
        self.others.append(tape)

    def timeline(self) -> Timeline:
        tapes = [self, *self.others]
        fetches = _table(FETCH_COLUMNS, [row for tape in tapes for row in tape.fetch_rows])
        windows = [tape._window() for tape in tapes]
        return build_timeline(Capture(self.facts, self.strings, self.codes, windows, fetches))

    def _window(self) -> Window:
        columns = new_table(OP_COLUMNS)
        for row in self.rows:
            for name, column in columns.items():
                column.append(row[name])
        tables = {
            "clock": _table(CLOCK_COLUMNS, sorted(self.clock, key=lambda event: event[0])),
            "ops": columns,
        }
        if self.kind == "lines":
            del tables["ops"]
        if self.memory_rows:
            tables["memory"] = _table(
                MEMORY_COLUMNS, sorted(self.memory_rows, key=lambda row: row[0])
            )
        return Window(
            self.kind, self.ticks[0], self.ticks[-1], self.ticks, tables, self.window_facts
        )

    def _row(
        self, kind: str, name: str, start: int, end: int, thread: int, native: int, **fields: Any
    ) -> int:
        assert end >= start
        inputs = fields.pop("inputs", None)
        row = {
            "name": self.string(name), "start": start, "duration": end - start, "thread": thread,
            "native": native, "sequence": -1, "forward_thread": 0, "scope": 0,
            "kind": EVENT_KINDS.index(kind), "device": -1, "correlation": 0, "linked": 0,
            "inputs": -1 if inputs is None else self.string(inputs),
        } | fields  # fmt: skip
        assert set(row) == set(OP_COLUMNS), set(row) ^ set(OP_COLUMNS)
        self.rows.append(row)
        return len(self.rows) - 1

    def _linked(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        values = dict(fields)
        if "op" in values:
            values["linked"] = self.rows[values.pop("op")]["correlation"]
        return values

    def string(self, text: str) -> int:
        """The text's number."""
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def _code(self, function: str) -> int:
        entry = {"file": FILE, "function": function, "first_line": 1}
        if entry not in self.codes:
            self.codes.append(entry)
        return self.codes.index(entry)


def _table(columns: dict[str, str], rows: list[Any]) -> dict[str, array[Any]]:
    table = new_table(columns)
    for row in rows:
        for column, value in zip(table.values(), row, strict=True):
            column.append(value)
    return table


def run_facts(device: str, ticks: list[int]) -> dict[str, Any]:
    """What the agent says about the run as a whole, for a device that is in no table."""
    return {
        "target": FILE, "source": "", "args": [], "python": "python (3.11)",
        "torch": "2.13.0",
        "device": device if device == "cpu" else f"{device} Card", "device_name": "Card",
        "device_type": device.partition(":")[0],
        "device_index": -1 if device == "cpu" else int(device.partition(":")[2]),
        "started": "2026-01-01T00:00:00+00:00",
        "steps": len(ticks) - 1, "warmup": 3, "boundary": "optimizer steps",
        "boundary_kind": "optimizer", "loop": None,
        "evidence": {}, "notes": [], "process": "main", "assumed": None, "files": None,
        "clean_ns": [end - begin for begin, end in pairwise(ticks)],
        "thread": [1, STEP_THREAD], "model": "Net", "loaders": [], "cores": 2, "threads": 1,
        "tf32": False, "schemas": {}, "python_version": [3, 11],
        "peaks": {"float32": 1e12, "bfloat16": 2e12, "bandwidth": 1e11, "launch_ns": 1000.0},
    }  # fmt: skip


def recording_of(timeline: Timeline, kind: str = "map") -> Recording:
    """The recording of that kind, which the test made."""
    found = timeline.recording(kind)
    assert found is not None
    return found


def by_line(timeline: Timeline, ledger: Mapping[int, float]) -> dict[int | None, float]:
    """A ledger by place, by line number; what has no place goes by None. Zeros are left out."""
    found: dict[int | None, float] = {}
    for place, value in ledger.items():
        line = None if place == NOWHERE else timeline.places[place].line
        found[line] = found.get(line, 0) + value
    return {line: value for line, value in found.items() if value}
