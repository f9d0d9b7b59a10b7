"""A run from request to capture file: start the agent, follow it, start it again if that helps."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepscope.agent.own_code import own_folders
from stepscope.session import failures, modelonly
from stepscope.session.environment import environment_for
from stepscope.session.follow import Crashed, Follower
from stepscope.session.keeping import Keeper
from stepscope.session.model import (
    CancelToken,
    Failure,
    OnFiles,
    OnOutput,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
)
from stepscope.session.process import AgentProcess
from stepscope.session.ranks import RanksProcess, lowest_capture
from stepscope.session.ranks_follow import RanksFollower


@contextlib.contextmanager
def captured(
    request: ProfileRequest,
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    on_files: OnFiles | None = None,
) -> Iterator[Path]:
    """Yield the capture file of one run. Raises ``Failure``.

    The target is still finishing while the body runs; when the body is left, its process group is
    gone and so is the file. ``on_files`` is told then what it did to files, however it ended.
    """
    wrong = failures.bad_request(request)
    if wrong is not None:
        raise wrong
    folder = Path(tempfile.mkdtemp(prefix="stepscope-"))
    keeper = Keeper(request, folder)
    try:
        with contextlib.ExitStack() as stack:
            yield _run(request, folder, keeper, on_progress, on_output, cancel, stack)
    finally:
        files = keeper.finish()
        shutil.rmtree(folder, ignore_errors=True)
        if on_files is not None:
            on_files(files)


def _run(
    request: ProfileRequest,
    folder: Path,
    keeper: Keeper,
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    stack: contextlib.ExitStack,
) -> Path:
    wishes: dict[str, Any] = {
        "steps": request.steps,
        "warmup": request.warmup,
        "loop": request.loop,
        "model": modelonly.at_once(request),
    }
    notes: list[str] = []
    while True:
        capture = folder / "capture"
        # A model that only we drive is driven by one process.
        ranks = None if wishes["model"] else request.processes
        try:
            found = _attempt(
                request,
                capture,
                ranks,
                keeper,
                wishes,
                notes,
                on_progress,
                on_output,
                cancel,
                stack,
            )
        except Crashed as crash:
            less = _with_less(crash, wishes)
            if less is None:
                raise crash.failure from None
            wishes = {**wishes, "without": less[0]}
            notes.append(less[1])
            continue
        except Failure as failure:
            model = None if wishes["model"] else modelonly.after_failure(request, failure)
            if model is None:
                raise
            wishes = {**wishes, "model": model}
            continue
        if found is None:
            return capture if ranks is None else _of_lowest_rank(capture, ranks)
        ended, told = found
        if not wishes["model"] and (model := modelonly.after_end(request, ended)) is not None:
            wishes = {**wishes, "model": model}
            continue
        wishes_next = _second_try(wishes, ended)
        if wishes_next is None:
            if ended["boundary"] == "chosen" and not ended["ticks"] and request.loop:
                raise failures.chosen_loop_not_reached(request.target, request.loop)
            raise failures.ended_early(ended, told)
        wishes = wishes_next


def _second_try(wishes: dict[str, Any], ended: dict[str, Any]) -> dict[str, Any] | None:
    """How to run a script again that ended before we had its steps, None if that is no use."""
    if not failures.ended_well(ended["code"]):
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


def _with_less(crash: Crashed, wishes: dict[str, Any]) -> tuple[list[str], str] | None:
    """What to leave out when the target is run again, and the note on it; None: no second run.

    Outside the passes that record with the profiler a crash is the target's own.
    """
    if "without" in wishes or crash.passing not in ("mapped", "detail"):
        return None
    what = crash.failure.message.rstrip(".")
    if crash.passing == "detail":
        return ["detail"], (
            f"{what} while memory was recorded; it was run once more without that, so memory, "
            "FLOPs and shapes are not measured."
        )
    return ["detail", "profiler"], (
        f"{what} while the profiler ran; it was run once more without the profiler, so only the "
        "wall time of each line is measured, and the backward pass stands on the line that calls "
        "it."
    )


def _attempt(
    request: ProfileRequest,
    capture: Path,
    ranks: int | None,
    keeper: Keeper,
    wishes: dict[str, Any],
    notes: list[str],
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    stack: contextlib.ExitStack,
) -> tuple[dict[str, Any], failures.Told] | None:
    """One start of the agent. None: there is a capture. Else the target ended by itself.

    With ``ranks``, torchrun starts so many of them, and ``capture`` is the folder of theirs.
    Raises ``Failure`` and ``Crashed``.
    """
    target = request.target.absolute()
    python = request.python or sys.executable
    cwd = request.cwd or Path.cwd()
    if cancel.cancelled:
        raise failures.cancelled(target.name)
    on_progress(Progress(Phase.STARTING))
    roots = own_folders(target, cwd, request.workspace)
    config = {
        "target": str(target),
        # sys.argv[0] as the person typed it, where it still names the file from the new folder.
        "argv0": str(request.target if request.cwd is None else target),
        "capture": str(capture),
        "roots": [str(root) for root in roots],
        "wishes": {**wishes, "root": str(target.parent)},
        "cpu": request.cpu,
        "notes": notes,
        "guard": keeper.config(),
    }
    try:
        environment = environment_for(request, os.environ)
        start = (python, config, request.args, cwd, on_output, environment)
        follow = (request, python, on_progress, cancel)
        process: AgentProcess
        if ranks is None:
            process = AgentProcess(*start)
            follower = Follower(process, *follow)
        else:
            process = started = RanksProcess(*start, ranks, capture)
            follower = RanksFollower(started, *follow)
    except OSError as error:
        raise failures.cannot_start(python, error) from None
    try:
        ended = follower.follow()
    except BaseException:
        process.close(0.0)
        raise
    # The target may still be winding down; it does so while its capture is being read.
    stack.callback(process.close, request.limits.grace_s)
    return None if ended is None else (ended, follower.told_of(ended))


def _of_lowest_rank(folder: Path, count: int) -> Path:
    found = lowest_capture(folder, count)
    assert found is not None, "a rank has said that it wrote its capture"
    return found
