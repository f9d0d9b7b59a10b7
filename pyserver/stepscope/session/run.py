"""A run from request to capture file: start the agent, follow it, start it again if that helps."""

from __future__ import annotations

import contextlib
import queue
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepscope.session import failures
from stepscope.session.model import (
    CancelToken,
    Failure,
    OnOutput,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
)
from stepscope.session.process import AgentProcess

_WHERE_S = 2.0  # how long a target that is stuck may take to say where


@contextlib.contextmanager
def captured(
    request: ProfileRequest, on_progress: OnProgress, on_output: OnOutput, cancel: CancelToken
) -> Iterator[Path]:
    """Yield the capture file of one run. Raises ``Failure``.

    The target is still finishing while the body runs; when the body is left, its process group is
    gone and so is the file.
    """
    wrong = failures.bad_request(request)
    if wrong is not None:
        raise wrong
    folder = Path(tempfile.mkdtemp(prefix="stepscope-"))
    try:
        with contextlib.ExitStack() as stack:
            yield _run(request, folder, on_progress, on_output, cancel, stack)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(
    request: ProfileRequest,
    folder: Path,
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    stack: contextlib.ExitStack,
) -> Path:
    wishes: dict[str, Any] = {
        "steps": request.steps,
        "warmup": request.warmup,
        "loop": request.loop,
    }
    while True:
        capture = folder / "capture"
        ended = _attempt(request, capture, wishes, on_progress, on_output, cancel, stack)
        if ended is None:
            return capture
        wishes_next = _second_try(wishes, ended)
        if wishes_next is None:
            if ended["boundary"] == "chosen" and not ended["ticks"] and request.loop:
                raise failures.chosen_loop_not_reached(request.target, request.loop)
            raise failures.ended_early(ended, request.target.name)
        wishes = wishes_next


def _second_try(wishes: dict[str, Any], ended: dict[str, Any]) -> dict[str, Any] | None:
    """How to run a script again that ended before we had its steps, None if that is no use."""
    if ended["code"] not in (None, "None", "0"):
        return None
    if ended["ticks"] >= 2 and "limit" not in wishes:
        # Too short for the usual passes: it makes exactly this many steps, so plan for them.
        return {**wishes, "limit": ended["ticks"]}
    if ended["boundary"] == "chosen":
        return None
    counts = ended["counts"]
    trained = counts["optimizer"] or counts["framework"] or counts["explicit"]
    if ended["ticks"] == 0 and not trained and "never" not in wishes:
        # Its source speaks of training, but it never trained: take what it did do as steps.
        if counts["backward"] >= 2:
            return {**wishes, "never": ["framework", "optimizer"]}
        if counts["module"] >= 2:
            return {**wishes, "never": ["framework", "optimizer", "backward"]}
    return None


def _attempt(
    request: ProfileRequest,
    capture: Path,
    wishes: dict[str, Any],
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    stack: contextlib.ExitStack,
) -> dict[str, Any] | None:
    """One start of the agent. None: there is a capture. A dict: the target ended by itself."""
    target = request.target.absolute()
    python = request.python or sys.executable
    cwd = request.cwd or Path.cwd()
    if cancel.cancelled:
        raise failures.cancelled(target.name)
    on_progress(Progress(Phase.STARTING))
    roots = [target.parent, *request.workspace]
    config = {
        "target": str(target),
        # sys.argv[0] as the person typed it, where it still names the file from the new folder.
        "argv0": str(request.target if request.cwd is None else target),
        "capture": str(capture),
        "roots": [str(root) for root in roots],
        "wishes": {**wishes, "root": str(target.parent)},
    }
    try:
        process = AgentProcess(python, config, request.args, cwd, on_output)
    except OSError as error:
        raise failures.cannot_start(python, error) from None
    try:
        ended = _follow(process, request, python, target, on_progress, cancel)
    except BaseException:
        process.close(grace_s=0.0)
        raise
    # The target may still be winding down; it does so while its capture is being read.
    stack.callback(process.close)
    return ended


def _follow(
    process: AgentProcess,
    request: ProfileRequest,
    python: str,
    target: Path,
    on_progress: OnProgress,
    cancel: CancelToken,
) -> dict[str, Any] | None:
    cancel.on_cancel(lambda: process.events.put(("cancel", None)))
    deadline: float | None = time.monotonic() + request.timeout_s
    ended: dict[str, Any] | None = None
    while True:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            kind, value = process.events.get(timeout=left)
        except queue.Empty:
            where = _ask_where(process)
            raise failures.timed_out(target.name, request.timeout_s, where) from None
        if kind == "cancel":
            raise failures.cancelled(target.name)
        if kind == "exit":
            if ended is not None:
                return ended
            raise failures.died(value, process.error_tail(), target)
        if value["kind"] == "progress":
            deadline = None  # it makes steps; how long each takes is the target's own affair
            on_progress(Progress(Phase(value["phase"]), value["step"], value["total"]))
        elif value["kind"] == "captured":
            return None
        elif value["kind"] == "ended":
            ended = value
        else:
            failure: Failure | None = failures.from_message(value, python, target)
            if failure is not None:
                # Its traceback is still on its way through the other pipe.
                process.close()
                raise failure


def _ask_where(process: AgentProcess) -> dict[str, Any] | None:
    process.ask_where()
    deadline = time.monotonic() + _WHERE_S
    while (left := deadline - time.monotonic()) > 0:
        try:
            kind, value = process.events.get(timeout=left)
        except queue.Empty:
            break
        if kind == "message" and value["kind"] == "where":
            return dict(value)
    return None
