"""How the target ended by itself: told to the session, in plain data."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import target
from .errors import describe

if TYPE_CHECKING:
    from .main import Agent

_FRAME = re.compile(r'^  File "(.+)", line (\d+), in ', re.MULTILINE)
_MOST_NAMES = 4  # of models that the session is told of


def report_failure(agent: Agent, error: BaseException) -> None:
    """The target raised: what, and on which of the user's lines."""
    if agent.family.is_main:
        if agent.rank is not None:
            agent.rank.tell("failed")
        _tell_error(agent, "raised", error)
    else:
        child_failed(agent, error)


def child_failed(agent: Agent, error: BaseException) -> None:
    """A child process of the target raised. Its parent may still deal with that."""
    if isinstance(error, SystemExit):
        if error.code in (None, 0):
            child_ended(agent)
            return
        # torch.multiprocessing.spawn turns what was raised into an exit status.
        error = error.__context__ or error
    _tell_error(agent, "child-raised", error)
    agent.family.release()


def child_ended(agent: Agent) -> None:
    """A child process of the target ended by itself before we had what we need."""
    if any(agent.finder.counts.values()):
        agent.channel.send("child-ended", **_steps(agent))
    agent.family.release()


def _steps(agent: Agent) -> dict[str, Any]:
    return {
        "torch": agent.recorder is not None,
        "ticks": agent.recorder.ticks_seen if agent.recorder else 0,
        "boundary": agent.finder.kind,
        "counts": agent.finder.counts,
    }


def _tell_error(agent: Agent, kind: str, error: BaseException) -> None:
    site = target.last_user_line(error.__traceback__, agent.user.owns)
    process = agent.family.words
    remote = _line_in_pool(error, agent.user.owns_file)
    if remote is not None:
        site, process = remote, "of a pool"
    if isinstance(error, SyntaxError) and error.filename:
        site = (error.filename, error.lineno or 1)
    agent.channel.send(
        kind,
        process=process,
        site=site,
        ticks=agent.recorder.ticks_seen if agent.recorder else 0,
        **describe(error, agent.user.owns),
    )


def _line_in_pool(error: BaseException, owns_file: Callable[[str], bool]) -> tuple[str, int] | None:
    """The user's last line where a task of a process pool raised: its traceback comes as text."""
    cause = error.__cause__
    if type(cause).__name__ not in ("RemoteTraceback", "_RemoteTraceback"):
        return None
    found = None
    for file, line in _FRAME.findall(str(cause)):
        if owns_file(file):
            found = (file, int(line))
    return found


def report_end(agent: Agent, exit_request: SystemExit | None) -> None:
    """The target ended by itself before we had what we need."""
    if not agent.family.is_main:  # a fork that the target made by hand
        child_ended(agent)
        return
    if agent.rank is not None:
        agent.rank.tell("ended")
    site = None
    if exit_request is not None:
        site = target.last_user_line(exit_request.__traceback__, agent.user.owns)
    times = os.times()
    agent.channel.send(
        "ended",
        code=None if exit_request is None else repr(exit_request.code)[:500],
        site=site,
        **_steps(agent),
        loop=agent.finder.loop is not None,
        defined=_defined_models(agent),
        found_no_gpu=_found_no_gpu(agent),
        children_s=round(times.children_user + times.children_system, 1),
    )


def _found_no_gpu(agent: Agent) -> bool:
    """Whether the target's own file asks how many GPUs there are, and there is none."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return b"device_count(" in agent.source and cuda is not None and not cuda.device_count()


def _defined_models(agent: Agent) -> list[str]:
    """Names of the user's own classes of models, those of the target's file alone."""
    torch = sys.modules.get("torch")
    base = getattr(getattr(torch, "nn", None), "Module", None)
    names: list[str] = []
    waiting = list(base.__subclasses__()) if base is not None else []
    while waiting and len(names) < _MOST_NAMES:
        kind = waiting.pop()
        if kind.__module__ == "__main__":
            names.append(kind.__name__)
        waiting.extend(kind.__subclasses__())
    return sorted(names)


def stop_threads_quietly() -> None:
    """Training in a thread is stopped through that thread: that is no error to print."""
    report = threading.excepthook

    def hook(arguments: Any) -> None:
        if arguments.exc_type is not target.StopTarget:
            report(arguments)

    threading.excepthook = hook
