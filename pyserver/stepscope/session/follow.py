"""Follows one agent to its capture or its end, and watches the clock meanwhile."""

from __future__ import annotations

import collections
import queue
import time
from typing import Any

from stepscope.session import failures
from stepscope.session.children import Children
from stepscope.session.model import (
    CancelToken,
    Failure,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
    Stillness,
)
from stepscope.session.process import AgentProcess, Event

WHERE_S = 2.0  # how long a target that is stuck may take to say where


class Crashed(Exception):
    """The process crashed in native code while ``passing``, a pass of the recorder, was on."""

    def __init__(self, failure: Failure, passing: str | None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.passing = passing


class Follower:
    """One agent's messages, in their order, and the limits on what it may take."""

    def __init__(
        self,
        process: AgentProcess,
        request: ProfileRequest,
        python: str,
        on_progress: OnProgress,
        cancel: CancelToken,
    ) -> None:
        self._process = process
        self._request = request
        self._python = python
        self._on_progress = on_progress
        self._cancel = cancel
        self._waiting: collections.deque[Event] = collections.deque()
        self._state = Progress(Phase.STARTING)
        self._stepped = False  # whether there was a step
        self._measured = False  # whether there are no more steps to come
        self._since = time.monotonic()  # when it made its latest step, or was started
        self._asked = False  # whether this stillness has been told
        self._children = Children()
        self._passing: str | None = None  # the recorder's pass that is on

    def follow(self) -> dict[str, Any] | None:
        """None: there is a capture. A dict: the target ended by itself, which is what it said.

        Raises ``Failure``, and ``Crashed``.
        """
        self._cancel.on_cancel(lambda: self._process.events.put(("cancel", None)))
        ended: dict[str, Any] | None = None
        while True:
            try:
                kind, value = self._next(self._left())
            except queue.Empty:
                self._watch()
                continue
            if kind == "cancel":
                raise failures.cancelled(self._request.target.name)
            if kind == "exit":
                if ended is not None:
                    self._process.close(0.0)
                    return self._children.joined(ended, self.told())
                raise self._died(value)
            if value["kind"] == "progress":
                self._progress(value)
            elif value["kind"] == "measured":
                self._measured = True
            elif value["kind"] == "captured":
                if value["process"] != "main":
                    self._process.only_waits()
                return None
            elif value["kind"] == "ended":
                ended = value
            elif not self._children.heard(value) and value["kind"] in failures.REPORTED:
                # Its traceback is still on its way through the other pipe.
                self._process.close(self._request.limits.grace_s)
                raise failures.from_message(self._children.cause(value), self.told())

    def told_of(self, _ended: dict[str, Any]) -> failures.Told:
        """What is known of the process that said so, beside that."""
        return self.told()

    def told(self) -> failures.Told:
        """What is known of the target beside its own messages."""
        process = self._process
        return failures.Told(
            self._request, self._python, process.error_tail(), process.output_tail()
        )

    def _progress(self, value: dict[str, Any]) -> None:
        self._passing = value.get("pass")
        self._step(value, shown=True)

    def _step(self, value: dict[str, Any], *, shown: bool) -> None:
        """There was a step, ``shown`` as how far the run is."""
        self._stepped, self._asked, self._since = True, False, time.monotonic()
        if shown:
            self._state = Progress(Phase(value["phase"]), value["step"], value["total"])
            self._on_progress(self._state)

    def _died(self, status: int) -> Exception:
        self._process.close(0.0)
        failure = failures.died(status, self.told())
        return Crashed(failure, self._passing) if status in failures.CRASHES else failure

    # -- the clock -----------------------------------------------------------------------------

    @property
    def _limit(self) -> float | None:
        """Seconds that it may take to its next step."""
        if self._measured or self._cancel.patient:
            return None
        return self._request.limits.step_s if self._stepped else self._request.timeout_s

    def _left(self) -> float | None:
        """Seconds until something has to be said; None: never."""
        limits = [self._limit]
        if not self._asked and not self._measured:
            limits.append(self._request.limits.ask_s)
        nearest = min((limit for limit in limits if limit is not None), default=None)
        if nearest is None:
            return None
        return max(0.0, self._since + nearest - time.monotonic())

    def _watch(self) -> None:
        """Nothing was heard for a while: tell where the target is, or end it."""
        still = time.monotonic() - self._since
        limit = self._limit
        if limit is not None and still >= limit:
            where = self._where()
            if not self._waiting:  # else it has said something after all
                raise failures.timed_out(self._request.target.name, limit, where, self._stepped)
        elif not self._asked and not self._measured and still >= self._request.limits.ask_s:
            self._asked = True
            site = (self._where() or {}).get("site") or (None, None)
            told = Stillness(self._request.limits.ask_s, not self._stepped, *site)
            state = self._state
            self._on_progress(Progress(state.phase, state.step, state.total, told))

    def _where(self) -> dict[str, Any] | None:
        """Where the target is. What else it says meanwhile is kept for later."""
        self._process.ask_where()
        deadline = time.monotonic() + WHERE_S
        kept: list[Event] = []
        found: dict[str, Any] | None = None
        while found is None and (left := deadline - time.monotonic()) > 0:
            try:
                event = self._process.events.get(timeout=left)
            except queue.Empty:
                break
            if event[0] == "message" and event[1]["kind"] == "where":
                found = event[1]
            else:
                kept.append(event)
        self._waiting.extend(kept)
        return found

    def _next(self, timeout_s: float | None) -> Event:
        if self._waiting:
            return self._waiting.popleft()
        return self._process.events.get(timeout=timeout_s)
