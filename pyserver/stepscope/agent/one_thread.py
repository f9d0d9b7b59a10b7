"""Whose events count: those of the one thread that trains."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from .boundary import KINDS

_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}
_GIVE_UP_AFTER = 8  # events of another thread in a row, while the first one makes none
_SILENT_NS = 200_000_000
"""And so long, at least: a thread that waits for the interpreter makes no event for many times its
switch interval (5 ms), in which the other one makes dozens of small steps."""
_USUAL_PAUSES = 4  # or, where its steps are long, so many times the longest pause it has made


class OneThread:
    """Steps of two threads make no sequence, so the events of only one thread count at a time.

    It is the first that makes one. Another takes over when it makes events of a more trusted kind
    (it trains, the first one only called a model), when the first one has ended, or when that one
    has been silent for longer than it ever was. ``now`` is a clock in ns.
    """

    def __init__(self, now: Callable[[], int] = time.monotonic_ns) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._owner: threading.Thread | None = None
        self._rank = -1  # the most trusted kind that the owner has made
        self._last = 0  # when its last event had been dealt with
        self._longest = 0  # pause between two of its events
        self._foreign = 0
        self._busy = False
        self._taken_over = False

    def enter(self, kind: str) -> bool:
        """Whether an event of this kind in the calling thread counts. If so, ``leave`` after it.

        While one event is dealt with, which may take a second, no other one counts.
        """
        here, rank = threading.current_thread(), _RANKS[kind]
        with self._lock:
            if self._busy:
                return False
            if here is not self._owner:
                return self._is_next(here, rank)
            self._busy = True
            self._foreign = 0
            self._longest = max(self._longest, self._now() - self._last)
            self._rank = max(self._rank, rank)
            return True

    def taken_over(self) -> bool:
        """Whether the event is the first of another thread: what was counted before is void."""
        found, self._taken_over = self._taken_over, False
        return found

    def leave(self) -> None:
        """The event has been dealt with."""
        self._last = self._now()
        self._busy = False

    def _is_next(self, here: threading.Thread, rank: int) -> bool:
        owner = self._owner
        if owner is not None:
            self._foreign += 1
            stays = rank <= self._rank and not (rank == self._rank and self._is_silent())
            if owner.is_alive() and stays:
                return False
            self._taken_over = True
        self._owner, self._rank, self._foreign, self._longest = here, rank, 0, 0
        self._busy = True
        return True

    def _is_silent(self) -> bool:
        pause = max(_SILENT_NS, _USUAL_PAUSES * self._longest)
        return self._foreign >= _GIVE_UP_AFTER and self._now() - self._last > pause
