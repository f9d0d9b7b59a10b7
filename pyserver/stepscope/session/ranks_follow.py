"""Follows the ranks of one run to their captures, or to the end of the first that fails."""

from __future__ import annotations

import queue
import re
import time
from typing import Any

from stepscope.session import failures
from stepscope.session.children import Children
from stepscope.session.follow import WHERE_S, Crashed, Follower
from stepscope.session.model import (
    CancelToken,
    Failure,
    OnProgress,
    ProfileRequest,
)
from stepscope.session.process import Event
from stepscope.session.ranks import RanksProcess

_LAST_WORDS_S = 3.0  # for the rank whose end made another one fail
# What a rank says that only notices another's end.
_OF_ANOTHER = re.compile(
    r"Connection closed by peer|Connection reset by peer|Broken pipe|Connection refused"
    r"|remote process exited|socketProgress|NCCL|timed out waiting|Socket Timeout|recvValue failed"
)


class RanksFollower(Follower):
    """The ranks' messages in their order. Steps are shown as those of the lowest rank."""

    def __init__(
        self,
        process: RanksProcess,
        request: ProfileRequest,
        python: str,
        on_progress: OnProgress,
        cancel: CancelToken,
    ) -> None:
        super().__init__(process, request, python, on_progress, cancel)
        self._ranks = process
        self._measured_by: set[int] = set()
        self._captured: set[int] = set()
        self._ended: dict[int, dict[str, Any]] = {}
        self._children_of = {rank: Children() for rank in range(process.count)}
        self._passings: dict[int, str | None] = {}
        self._noticed: dict[str, Any] | None = None  # an error that another rank's end explains
        self._until: float | None = None  # when to wait no longer for that other rank

    def follow(self) -> dict[str, Any] | None:
        """None: there are captures. A dict: the ranks ended by themselves, and this one first.

        Raises ``Failure`` and ``Crashed``.
        """
        self._cancel.on_cancel(lambda: self._process.events.put(("cancel", None)))
        while True:
            try:
                kind, value = self._next(self._left())
            except queue.Empty:
                if self._noticed is not None:
                    raise self._failure(self._noticed) from None
                if self._is_stuck():
                    return None
                continue
            if kind == "cancel":
                raise failures.cancelled(self._request.target.name)
            if kind == "exit":
                return self._over(value)
            if self._heard(value):
                return None

    def told(self, rank: int | None = None) -> failures.Told:
        """What is known of a rank beside its own messages."""
        process = self._ranks
        return failures.Told(
            self._request, self._python, process.error_tail(rank), process.output_tail(rank)
        )

    def told_of(self, ended: dict[str, Any]) -> failures.Told:
        """The same for the rank of a message."""
        return self.told(ended.get("rank"))

    def _heard(self, value: dict[str, Any]) -> bool:
        """Take note of a message. Whether all ranks have written their captures."""
        kind, rank = value["kind"], value.get("rank")
        if rank is None:
            if kind == "ranks-died":
                raise self._died_ranks(dict(value["statuses"]))
            if kind in failures.REPORTED:
                raise self._failure(value)
        elif kind == "progress":
            self._passings[rank] = value.get("pass")
            self._step(value, shown=rank == 0)
        elif kind == "measured":
            self._measured_by.add(rank)
            self._measured = len(self._measured_by) == self._ranks.count
        elif kind == "captured":
            self._captured.add(rank)
            return len(self._captured) == self._ranks.count
        elif kind == "ended":
            self._ended[rank] = value
        elif not self._children_of[rank].heard(value) and kind in failures.REPORTED:
            self._rank_failed(self._children_of[rank].cause(value))
        return False

    def _rank_failed(self, value: dict[str, Any]) -> None:
        """The first error is the one to tell, unless it only notices that another rank is gone."""
        text = " ".join(one["message"] for one in value.get("chain", ()))
        if not _OF_ANOTHER.search(text):
            raise self._failure(value)
        if self._noticed is None:
            self._noticed = value
            self._until = time.monotonic() + _LAST_WORDS_S

    def _over(self, status: int) -> dict[str, Any] | None:
        """Every rank has ended, and torchrun with them."""
        if self._noticed is not None:
            raise self._failure(self._noticed)
        self._process.close(0.0)
        if self._captured:
            return None
        if not self._ended:
            raise self._died(status)
        joined = [
            self._children_of[rank].joined(ended, self.told(rank))
            for rank, ended in sorted(self._ended.items())
        ]
        # The first that did not end well; else the one with the fewest steps: all must make them.
        return min(joined, key=lambda one: (failures.ended_well(one["code"]), one["ticks"]))

    def _died_ranks(self, statuses: dict[int, int]) -> Exception:
        """Ranks ended with these statuses, the earliest first, and none has said why as yet.

        One that only noticed another's end is not the one to tell of.
        """
        noticed = None if self._noticed is None else self._noticed["rank"]
        rank = next((rank for rank in statuses if rank != noticed), None)
        if rank is None:
            assert self._noticed is not None
            return self._failure(self._noticed)
        self._process.close(0.0)
        status = statuses[rank]
        ended = self._ended.get(rank)
        failure = (
            failures.died(status, self.told(rank))
            if ended is None
            else failures.ended_early(ended, self.told(rank))
        )
        failure = failures.of_rank(failure, rank, self._ranks.count)
        if status in failures.CRASHES:
            return Crashed(failure, self._passings.get(rank))
        return failure

    def _failure(self, value: dict[str, Any]) -> Failure:
        # Its traceback is still on its way through another pipe.
        self._process.close(self._request.limits.grace_s)
        rank = value.get("rank")
        failure = failures.from_message(value, self.told(rank))
        return failure if rank is None else failures.of_rank(failure, rank, self._ranks.count)

    # -- the clock -----------------------------------------------------------------------------

    def _left(self) -> float | None:
        left = super()._left()
        if self._until is None:
            return left
        rest = max(0.0, self._until - time.monotonic())
        return rest if left is None else min(left, rest)

    def _is_stuck(self) -> bool:
        """Whether the ranks that have their captures are all that there will be."""
        try:
            self._watch()
        except Failure:
            if not self._captured:
                raise
            return True
        return False

    def _where(self) -> dict[str, Any] | None:
        """Where the ranks are: the lowest one's answer, with the places of all as ``sites``."""
        self._process.ask_where()
        deadline = time.monotonic() + WHERE_S
        kept: list[Event] = []
        found: dict[int, dict[str, Any]] = {}
        while len(found) < self._ranks.count and (left := deadline - time.monotonic()) > 0:
            try:
                event = self._process.events.get(timeout=left)
            except queue.Empty:
                break
            if event[0] == "message" and event[1]["kind"] == "where":
                found[event[1]["rank"]] = event[1]
            else:
                kept.append(event)
        self._waiting.extend(kept)
        if not found:
            return None
        sites = [[rank, *found[rank]["site"]] for rank in sorted(found) if found[rank]["site"]]
        return {**found[min(found)], "sites": sites}
