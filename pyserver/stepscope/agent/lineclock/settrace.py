"""The line clock on ``sys.settrace`` (Python < 3.12).

Every call in the process asks the global function once; foreign frames get no local tracer. A
debugger or coverage tool that was tracing is put back when the clock stops.
"""

from __future__ import annotations

import inspect
import sys
import threading
import time
from types import CodeType, FrameType
from typing import Any

from ..usercode import UserCode
from . import BLOCK, MAX_EVENTS, Event, Here, hot_codes, native_ids, stack_events

_RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class TraceClock:
    """See ``LineClock``."""

    def __init__(self, user: UserCode) -> None:
        self.events: list[Event] = []
        self.bounded: dict[CodeType, int] = {}
        self._user = user
        self._enter: Any = None
        self._previous: Any = None
        self._traced: list[tuple[FrameType, Any]] = []
        self._running = False

    def watch_threads(self) -> None:
        """Have threads that start from now on ask us at each call; call once, before user code.

        ``sys.settrace`` reaches only its own thread, so a thread that runs when the clock starts
        must have been given a tracer when it began. A tracer that somebody else set is left alone.
        """
        if threading.gettrace() is None:
            threading.settrace(self._dispatch)

    def _dispatch(self, frame: FrameType, event: str, arg: object) -> Any:
        enter = self._enter
        return None if enter is None else enter(frame, event, arg)

    def start(self) -> None:
        """Begin recording on this thread and on those that ``watch_threads`` reached."""
        self.events = []
        self.bounded = {}
        self._running = True
        owns, bounded = self._user.owns, self.bounded
        buffer = self.events
        append, now, here = buffer.append, time.time_ns, Here()
        check_at = BLOCK
        quiet: set[int] = set()

        full = False

        def bound() -> None:
            nonlocal check_at, full
            check_at = len(buffer) + BLOCK
            full = len(buffer) >= MAX_EVENTS
            codes = {id(event[2]): event[2] for event in buffer} if full else {}
            for code in codes.values() if full else hot_codes(buffer[-BLOCK:]):
                bounded.setdefault(code, now())
                quiet.add(id(code))

        def local(frame: FrameType, event: str, arg: object) -> Any:
            if full or not self._running:
                return None
            code = frame.f_code
            if event == "line":
                if quiet and id(code) in quiet:
                    frame.f_trace_lines = False
                    return local
                append((now(), here.native, code, frame.f_lineno))
                if len(buffer) >= check_at:
                    bound()
            elif event == "return":
                append((now(), here.native, code, -1))
            return local

        def enter(frame: FrameType, event: str, arg: object) -> Any:
            code = frame.f_code
            if full or not owns(code) or self._enter is not enter:
                return None  # or: another thread stopped the clock, and ours was left behind
            line = 0
            if code.co_flags & _RESUMABLE and frame.f_lineno != code.co_firstlineno:
                line = -1 - frame.f_lineno
            append((now(), here.native, code, line))
            if len(buffer) >= check_at:
                bound()
            return local

        self._previous = sys.gettrace()
        started, natives = now(), native_ids()
        for ident, stack in sys._current_frames().items():
            buffer.extend(stack_events(stack, self._user, started, natives.get(ident, -1)))
            for entered in self._user.frames(stack):
                if entered.f_trace is not None:
                    self._traced.append((entered, entered.f_trace))
                entered.f_trace = local
                entered.f_trace_lines = True
        self._enter = enter
        sys.settrace(enter)

    def stop(self) -> None:
        """Stop. Frames that are still running keep a tracer that is never called again."""
        if not self._running:
            return
        self._running = False
        self._enter = None
        sys.settrace(self._previous)
        for stack in sys._current_frames().values():
            for frame in self._user.frames(stack):
                frame.f_trace = None
        for frame, tracer in self._traced:
            frame.f_trace = tracer
        self._traced = []
