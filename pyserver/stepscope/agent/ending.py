"""How the target ended by itself: told to the session, in plain data."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from . import target

if TYPE_CHECKING:
    from .main import Agent


def report_failure(agent: Agent, error: BaseException) -> None:
    """The target raised: what, and on which of the user's lines."""
    site = target.last_user_line(error.__traceback__, agent.user.owns)
    if isinstance(error, SyntaxError) and error.filename:
        site = (error.filename, error.lineno or 1)
    agent.channel.send(
        "raised",
        type=type(error).__name__,
        message=str(error)[:2000],
        module=getattr(error, "name", None) if isinstance(error, ImportError) else None,
        site=site,
        ticks=agent.recorder.ticks_seen if agent.recorder else 0,
        memory=_is_out_of_memory(error),
    )


def report_end(agent: Agent, exit_request: SystemExit | None) -> None:
    """The target ended by itself before we had what we need."""
    site = None
    if exit_request is not None:
        site = target.last_user_line(exit_request.__traceback__, agent.user.owns)
    agent.channel.send(
        "ended",
        code=None if exit_request is None else repr(exit_request.code),
        site=site,
        torch=agent.recorder is not None,
        ticks=agent.recorder.ticks_seen if agent.recorder else 0,
        boundary=agent.finder.kind,
        counts=agent.finder.counts,
    )


def stop_threads_quietly() -> None:
    """Training in a thread is stopped through that thread: that is no error to print."""
    report = threading.excepthook

    def hook(arguments: Any) -> None:
        if arguments.exc_type is not target.StopTarget:
            report(arguments)

    threading.excepthook = hook


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    # The CPU's allocator raises a plain RuntimeError, worded by platform.
    return isinstance(error, RuntimeError) and "DefaultCPUAllocator: " in str(error)
