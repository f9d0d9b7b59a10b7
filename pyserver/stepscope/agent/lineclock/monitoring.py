"""The line clock on ``sys.monitoring`` (PEP 669, Python >= 3.12).

Frame starts and resumes are watched everywhere but answered with DISABLE for foreign code, so each
place in foreign code costs one callback in all. Lines, returns and yields are local events on user
code only.
"""

from __future__ import annotations

import sys
import time
from types import CodeType
from typing import Any

from ..usercode import UserCode
from . import BLOCK, MAX_EVENTS, Event, Here, hot_codes, native_ids, stack_events


class MonitoringClock:
    """See ``LineClock``."""

    def __init__(self, user: UserCode) -> None:
        self.events: list[Event] = []
        self.bounded: dict[CodeType, int] = {}
        self._user = user
        self._tool: int | None = None
        self._armed: dict[int, CodeType] = {}

    def watch_threads(self) -> None:
        """Nothing to prepare: ``sys.monitoring`` sees every thread."""

    def start(self) -> None:
        """Begin recording on all threads."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        events = monitoring.events
        tool = self._tool = _free_tool(monitoring)
        monitoring.use_tool_id(tool, "stepscope")
        self.events = []
        self.bounded = {}
        self._armed = {}
        lines_and_frames = events.LINE | events.PY_RETURN | events.PY_YIELD
        frames_only = events.PY_RETURN | events.PY_YIELD
        disable = monitoring.DISABLE
        owns, armed, bounded = self._user.owns, self._armed, self.bounded
        buffer = self.events
        append, now, here = buffer.append, time.time_ns, Here()
        check_at = BLOCK
        resumed: dict[tuple[int, int], int] = {}

        def arm(code: CodeType) -> None:
            armed[id(code)] = code
            monitoring.set_local_events(tool, code, lines_and_frames)

        def bound() -> None:
            nonlocal check_at
            check_at = len(buffer) + BLOCK
            full = len(buffer) >= MAX_EVENTS
            for code in list(armed.values()) if full else hot_codes(buffer[-BLOCK:]):
                bounded.setdefault(code, now())
                monitoring.set_local_events(tool, code, 0 if full else frames_only)
            if full:
                monitoring.set_events(tool, 0)

        def on_start(code: CodeType, offset: int) -> Any:
            if not owns(code):
                return disable
            if id(code) not in armed:
                arm(code)
            append((now(), here.native, code, 0))
            if len(buffer) >= check_at:
                bound()
            return None

        def on_line(code: CodeType, line: int) -> Any:
            append((now(), here.native, code, line))
            if len(buffer) >= check_at:
                bound()
            return None

        def on_leave(code: CodeType, offset: int, value: object) -> Any:
            append((now(), here.native, code, -1))
            return None

        def on_resume(code: CodeType, offset: int) -> Any:
            if not owns(code):
                return disable
            if id(code) not in armed:
                arm(code)  # a generator that was suspended when the clock started
            key = (id(code), offset)  # hashing a code object would read all of it
            line = resumed.get(key)
            if line is None:
                line = resumed[key] = -1 - _line_at(code, offset)
            append((now(), here.native, code, line))
            return None

        def on_unwind(code: CodeType, offset: int, error: object) -> Any:
            if id(code) in armed:
                append((now(), here.native, code, -1))
            return None

        def on_throw(code: CodeType, offset: int, error: object) -> Any:
            # DISABLE is no answer to this event.
            return on_resume(code, offset) if owns(code) else None

        for event, callback in (
            (events.PY_START, on_start),
            (events.LINE, on_line),
            (events.PY_RETURN, on_leave),
            (events.PY_YIELD, on_leave),
            (events.PY_RESUME, on_resume),
            (events.PY_UNWIND, on_unwind),
            (events.PY_THROW, on_throw),
        ):
            monitoring.register_callback(tool, event, callback)
        started, natives = now(), native_ids()
        # Frames that are on a stack already never start again: put them there by hand.
        for ident, frame in sys._current_frames().items():
            for entered in self._user.frames(frame):
                if id(entered.f_code) not in armed:
                    arm(entered.f_code)
            buffer.extend(stack_events(frame, self._user, started, natives.get(ident, -1)))
        monitoring.set_events(
            tool, events.PY_START | events.PY_RESUME | events.PY_UNWIND | events.PY_THROW
        )
        # A foreign location that an earlier recording disabled stays off; a user one must not.
        monitoring.restart_events()

    def stop(self) -> None:
        """Stop on all threads and give the tool id back."""
        if self._tool is None:
            return
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        tool, self._tool = self._tool, None
        monitoring.set_events(tool, 0)
        for code in self._armed.values():
            monitoring.set_local_events(tool, code, 0)
        for event in ("PY_START", "LINE", "PY_RETURN", "PY_YIELD", "PY_RESUME", "PY_UNWIND"):
            monitoring.register_callback(tool, getattr(monitoring.events, event), None)
        monitoring.register_callback(tool, monitoring.events.PY_THROW, None)
        monitoring.free_tool_id(tool)


def _line_at(code: CodeType, offset: int) -> int:
    """The line of the instruction at ``offset``."""
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def _free_tool(monitoring: Any) -> int:
    """An unused tool id; the profiler's own id first (0 debugger, 1 coverage, 5 optimizer)."""
    for tool in (monitoring.PROFILER_ID, 3, 4):
        if monitoring.get_tool(tool) is None:
            return int(tool)
    raise RuntimeError("every sys.monitoring tool id is taken by another profiler or debugger")
