"""Shutting down with requests under way: pygls cancels them while it walks through them."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from stepscope.server import build_server


def test_requests_that_leave_while_they_are_cancelled_do_not_stop_the_shutdown() -> None:
    protocol = build_server().protocol
    futures: list[Future[Any]] = []
    for number in range(3):
        future: Future[Any] = Future()
        future.add_done_callback(
            lambda _, key=number: protocol._request_futures.pop(key, None)  # type: ignore[misc]
        )
        protocol._request_futures[number] = future
        futures.append(future)
    handler = protocol.fm.builtin_features["shutdown"]
    for _ in handler():
        pass  # our own part of it, which another test runs
    assert all(future.cancelled() for future in futures)
    assert not protocol._request_futures
