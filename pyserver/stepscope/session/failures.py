"""Every way in which a run ends without a capture, as one sentence and a place."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

from stepscope.session.model import Failure, FailureKind, ProfileRequest

_FAULT_FRAME = re.compile(r'File "([^"]+)", line (\d+) in ')
_FAULT_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


def bad_request(request: ProfileRequest) -> Failure | None:
    """What is wrong with the request before anything is started, None if nothing."""
    target = request.target
    if not target.exists():
        return Failure(FailureKind.USAGE, f"There is no file {target}.")
    if not target.is_file():
        return Failure(FailureKind.USAGE, f"{target} is a folder; name the Python file to profile.")
    if request.cwd is not None and not request.cwd.is_dir():
        return Failure(FailureKind.USAGE, f"The working folder {request.cwd} does not exist.")
    return None


def cannot_start(python: str, error: OSError) -> Failure:
    """The interpreter could not be started."""
    reason = error.strerror or str(error)
    return Failure(
        FailureKind.USAGE,
        f"The interpreter {python} cannot be started ({reason}); choose another one.",
    )


def from_message(message: dict[str, Any], python: str, target: Path) -> Failure | None:
    """A failure that the agent itself reported, None if the message is none."""
    kind = message["kind"]
    file, line = message.get("site") or (None, None)
    name = target.name
    if kind == "old-python":
        return Failure(
            FailureKind.USAGE,
            f"{python} is Python {message['version']}; profiling needs Python 3.10 or newer.",
        )
    if kind == "old-torch":
        return Failure(
            FailureKind.USAGE,
            f"{python} has torch {message['version']}; profiling needs torch 2.4 or newer.",
        )
    if kind == "fault":
        last = message["text"].strip().splitlines()[-1]
        return Failure(
            FailureKind.TARGET_FAILED,
            f"Stepscope itself failed while it profiled {name} ({last}); please report this.",
        )
    if kind == "too-big":
        return Failure(
            FailureKind.NO_STEP,
            f"One step of {name} makes more operators than {message['bytes'] >> 20} MB of "
            "profiler memory hold; choose an inner loop, or call stepscope.step() more often.",
        )
    if kind == "raised":
        if message.get("module") == "torch":
            return Failure(
                FailureKind.USAGE,
                f"torch is not installed in {python}; install it there or choose another "
                "interpreter.",
                file,
                line,
            )
        return Failure(FailureKind.TARGET_FAILED, _raised(message, name), file, line)
    return None


def _raised(message: dict[str, Any], name: str) -> str:
    where = ""
    if message.get("site"):
        file, line = message["site"]
        where = f" at {Path(file).name}:{line}"
    ticks = message["ticks"]
    steps = f"{ticks} step{'s' if ticks > 1 else ''}"
    when = f" after {steps}" if ticks else " before its first step"
    if message["memory"]:
        return f"{name} ran out of memory{where}{when}."
    first = message["message"].strip().splitlines()
    detail = f": {first[0][:300]}" if first else ""
    return f"{name} raised {message['type']}{where}{when}{detail}"


def ended_early(message: dict[str, Any], name: str) -> Failure:
    """The target ended by itself with too few steps to measure."""
    file, line = message.get("site") or (None, None)
    code, ticks = message["code"], message["ticks"]
    if not message["torch"]:
        text = f"{name} ended without importing torch, so there was nothing to profile."
    elif ticks:
        text = (
            f"{name} ended after {ticks} step{'s' if ticks > 1 else ''}; "
            "at least two are needed to measure one."
        )
    else:
        text = (
            f"{name} ended without a step: no optimizer step, backward pass or repeated module "
            "call was seen. Call stepscope.step() at the end of each step to mark them."
        )
    if code not in (None, "None", "0"):
        where = f" at {Path(file).name}:{line}" if file else ""
        text = f"{name} called exit({code}){where} before enough steps were seen."
        return Failure(FailureKind.TARGET_FAILED, text, file, line)
    return Failure(FailureKind.NO_STEP, text, file, line)


def chosen_loop_not_reached(target: Path, line: int) -> Failure:
    """The target ended by itself and the loop that somebody chose had not made two passes."""
    return Failure(
        FailureKind.NO_STEP,
        f"{target.name} ended without a pass of the chosen loop at line {line}; "
        "choose another loop.",
        str(target.absolute()),
        line,
    )


def died(status: int, tail: str, target: Path) -> Failure:
    """The process ended without a word: killed, crashed in native code, or ``os._exit``."""
    name = target.name
    file, line = _crash_site(tail, target.parent)
    where = f" at {Path(file).name}:{line}" if file else ""
    if status >= 0:
        text = (
            f"{name} ended its process with status {status} before enough steps were seen{where}."
        )
    else:
        try:
            word = signal.Signals(-status).name
        except ValueError:
            word = f"signal {-status}"
        text = f"{name} was ended by {word}{where}."
        if word == "SIGKILL":
            text += " The system does that to a process that takes too much memory."
        elif word in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE"):
            text = f"{name} crashed in native code ({word}){where}."
    return Failure(FailureKind.TARGET_FAILED, text, file, line)


def timed_out(name: str, seconds: float, where: dict[str, Any] | None) -> Failure:
    """No step within the time limit; ``where`` is the agent's answer, None if it gave none."""
    text = f"{name} made no step within {seconds:g} s"
    file = line = None
    if where:
        if where.get("site"):
            file, line = where["site"]
            text += f"; it was at {Path(file).name}:{line}"
        seen = [f"{count} {kind} events" for kind, count in where["counts"].items() if count]
        text += f"; seen so far: {', '.join(seen) if seen else 'nothing of a step'}"
    return Failure(FailureKind.TIMED_OUT, text + ". A longer limit can be set.", file, line)


def cancelled(name: str) -> Failure:
    """Somebody asked."""
    return Failure(FailureKind.CANCELLED, f"Profiling {name} was cancelled.")


def _crash_site(tail: str, folder: Path) -> tuple[str | None, int | None]:
    """The user's innermost frame in a faulthandler dump (most recent call first)."""
    for written, line in _FAULT_FRAME.findall(tail):
        # faulthandler writes ASCII only. A path may also really hold such a sequence.
        plain = _FAULT_ESCAPE.sub(lambda found: chr(int("".join(found.groups("")), 16)), written)
        for file in (written, plain):
            if Path(file).is_relative_to(folder):
                return file, int(line)
    return None, None
