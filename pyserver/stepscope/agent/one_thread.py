"""Whose events count: those of the one thread that trains."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .boundary import KINDS

_GIVE_UP_AFTER = 8  # events of another thread in a row, while the first one makes none


class OneThread:
    """Steps of two threads make no sequence, so the events of only one thread count at a time.

    It is the first that makes one. Another takes over when it makes events of a more trusted kind
    (it trains, the first one only called a model), when the first one has ended, or when that one
    has been silent for a while. ``on_change()``: what was counted before is void.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._lock = threading.Lock()
        self._owner: threading.Thread | None = None
        self._rank = -1  # the most trusted kind that the owner has made
        self._foreign = 0
        self._busy = False
        self._taken_over = False

    def enter(self, kind: str) -> bool:
        """Whether an event of this kind in the calling thread counts. If so, ``leave`` after it.

        While one event is dealt with, which may take a second, no other one counts.
        """
        if not self._is_next(kind):
            return False
        if self._taken_over:
            self._taken_over = False
            self._on_change()
        return True

    def leave(self) -> None:
        """The event has been dealt with."""
        self._busy = False

    def _is_next(self, kind: str) -> bool:
        here, rank = threading.current_thread(), KINDS.index(kind)
        with self._lock:
            if self._busy:
                return False
            owner = self._owner
            if owner is here or owner is None:
                self._owner = here
                self._foreign = 0
                self._rank = max(rank, self._rank)
                self._busy = True
                return True
            self._foreign += 1
            silent = rank == self._rank and self._foreign >= _GIVE_UP_AFTER
            if owner.is_alive() and rank <= self._rank and not silent:
                return False
            self._owner, self._rank, self._foreign = here, rank, 0
            self._busy = self._taken_over = True
            return True
