"""The line clock: when each line of user code began, on every thread, and nothing else.

``time.time_ns()`` at each line event of user code; the profiler's events carry the same clock, so
an operator belongs to the user line that was running when it started. Two implementations with one
interface: ``sys.monitoring`` (Python >= 3.12) and ``sys.settrace`` before.

A line event costs a fraction of a microsecond, which ruins a loop whose turns cost no more than
that. The clock therefore looks at itself every ``BLOCK`` events: code that fires faster than
``HOT_NS_PER_EVENT`` loses its line events (it keeps its enter and leave events), and the capture
says which code and from when.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from array import array
from collections import Counter
from types import CodeType, FrameType
from typing import Any, Protocol

from ..capture import CLOCK_COLUMNS, new_table
from ..usercode import UserCode

BLOCK = 1 << 15
HOT_NS_PER_EVENT = 2_500
MAX_EVENTS = 3_000_000

Event = tuple[int, int, CodeType, int]
"""(time in ns, system thread id, code, line); line 0 enters a frame, -1 leaves it.

A generator or coroutine that goes on does so within the line of its ``yield`` or ``await``, which
fires no line event of its own: line -1 - n says that its frame is back, in line n.
"""


class LineClock(Protocol):
    """Starts and stops; what it saw is in ``events`` until the next start."""

    events: list[Event]
    bounded: dict[CodeType, int]

    def watch_threads(self) -> None:
        """Prepare to see threads that start from now on; call once, before user code."""

    def start(self) -> None:
        """Begin recording on all threads, with the frames that are on their stacks now."""

    def stop(self) -> None:
        """Stop. Read ``events`` only after this."""


def make_line_clock(user: UserCode) -> LineClock:
    """The clock for this interpreter."""
    if sys.version_info >= (3, 12):
        from .monitoring import MonitoringClock

        return MonitoringClock(user)
    from .settrace import TraceClock

    return TraceClock(user)


class Here(threading.local):
    """The system's id of the thread that asks: one system call per thread, not one per event.

    Python's own ident will not do, since a new thread may get that of one that has ended.
    """

    def __init__(self) -> None:
        self.native = threading.get_native_id()


def native_ids() -> dict[int, int]:
    """The system's thread id of every thread that runs now, by thread ident."""
    return {
        thread.ident: thread.native_id
        for thread in threading.enumerate()
        if thread.ident is not None and thread.native_id is not None
    }


def hot_codes(block: list[Event]) -> set[CodeType]:
    """Code that fills a block of events faster than the clock may cost it."""
    span = block[-1][0] - block[0][0]
    if span > len(block) * HOT_NS_PER_EVENT:
        return set()
    lines = Counter(id(event[2]) for event in block if event[3] > 0)
    codes = {id(event[2]): event[2] for event in block}
    return {codes[key] for key, count in lines.items() if count > len(block) // 4}


def stack_events(frame: FrameType | None, user: UserCode, now: int, native: int) -> list[Event]:
    """The events that would have led to the stack ``frame``: outermost user frame first."""
    events: list[Event] = []
    for entered in reversed(user.frames(frame)):
        events.append((now, native, entered.f_code, 0))
        events.append((now, native, entered.f_code, entered.f_lineno or 1))
    return events


class CodeTable:
    """Numbers code objects by identity (hashing a code object reads all of it)."""

    def __init__(self) -> None:
        self._index: dict[int, int] = {}
        self.codes: list[CodeType] = []

    def number(self, code: CodeType) -> int:
        """The code's number; the same for the same object."""
        number = self._index.get(id(code))
        if number is None:
            number = self._index[id(code)] = len(self.codes)
            self.codes.append(code)
        return number


def to_columns(events: list[Event], codes: CodeTable) -> dict[str, array[Any]]:
    """Events as capture columns."""
    table = new_table(CLOCK_COLUMNS)
    times, threads, code_column, lines = (table[name] for name in CLOCK_COLUMNS)
    for moment, native, code, line in events:
        times.append(moment)
        threads.append(native)
        code_column.append(codes.number(code))
        lines.append(line)
    return table


_SAMPLE = """
def sample(turns):
    total = 0
    for turn in range(turns):
        total += turn
        total -= turn
    return total
"""
_SAMPLE_TURNS = 400


def event_cost_ns(clock: LineClock, folder: str) -> float:
    """What one event costs the target here and now, ns: a small loop with and without the clock.

    ``folder`` is a root of user code, so that the clock takes the loop for the user's.
    """
    names: dict[str, Any] = {}
    exec(compile(_SAMPLE, os.path.join(folder, "<stepscope clock sample>"), "exec"), names)
    sample = names["sample"]

    def timed() -> int:
        start = time.perf_counter_ns()
        sample(_SAMPLE_TURNS)
        return time.perf_counter_ns() - start

    sample(_SAMPLE_TURNS)
    plain = min(timed() for _ in range(3))
    clock.start()
    try:
        timed()
        before = len(clock.events)
        clocked = min(timed() for _ in range(3))
        events = (len(clock.events) - before) / 3
    finally:
        clock.stop()
    return max(0.0, (clocked - plain) / events) if events else 0.0
