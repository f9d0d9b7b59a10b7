"""Whose events count: those of the one thread that trains."""

from __future__ import annotations

import threading

from .boundary import KINDS

_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}
_GIVE_UP_AFTER = 8  # events of another thread in a row, while the first one makes none


class OneThread:
    """Steps of two threads make no sequence, so the events of only one thread count at a time.

    It is the first that makes one. Another takes over when it makes events of a more trusted kind
    (it trains, the first one only called a model), when the first one has ended, or when that one
    has been silent for a while.
    """

    def __init__(self) -> None:
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
        here, rank = threading.current_thread(), _RANKS[kind]
        if here is self._owner and not self._busy:  # as nearly always: no lock for that
            self._busy = True
            self._foreign = 0
            if rank > self._rank:
                self._rank = rank
            return True
        with self._lock:
            return self._is_next(here, rank)

    def taken_over(self) -> bool:
        """Whether the event is the first of another thread: what was counted before is void."""
        found, self._taken_over = self._taken_over, False
        return found

    def leave(self) -> None:
        """The event has been dealt with."""
        self._busy = False

    def _is_next(self, here: threading.Thread, rank: int) -> bool:
        if self._busy:
            return False
        owner = self._owner
        if owner is not None:
            self._foreign += 1
            silent = rank == self._rank and self._foreign >= _GIVE_UP_AFTER
            if owner.is_alive() and rank <= self._rank and not silent:
                return False
            self._taken_over = True
        self._owner, self._rank, self._foreign = here, rank, 0
        self._busy = True
        return True
