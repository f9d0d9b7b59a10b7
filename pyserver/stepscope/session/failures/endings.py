"""Every way in which a run ends without a capture, as one sentence and a place."""

from __future__ import annotations

import dataclasses
import re
import signal
from pathlib import Path
from typing import Any

from stepscope.session.failures.no_step import last_words, no_step
from stepscope.session.failures.record import Ending, ended_well
from stepscope.session.failures.table import recognise
from stepscope.session.failures.told import Told
from stepscope.session.model import Action, ActionKind, Failure, FailureKind, ProfileRequest

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


REPORTED = frozenset(("old-python", "old-torch", "fault", "too-big", "no-model", "raised"))
"""Kinds of the agent's messages that mean the end of the run."""


def from_message(message: dict[str, Any], told: Told) -> Failure:
    """A failure that the agent itself reported: a message of one of the kinds in ``REPORTED``."""
    kind, python, name = message["kind"], told.python, told.request.target.name
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
    if kind == "no-model":
        wrong = FailureKind.USAGE if message["wrong"] else FailureKind.NO_STEP
        text = message["text"]
        if message["because"]:
            text = f"{message['because'].rstrip('.')}; and without running it: {text}"
        return Failure(wrong, text, *(message["site"] or (None, None)))
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
    file, line = message.get("site") or (None, None)
    ending = told.ending(message)
    error = ending.error
    if error and error.is_a("builtins.ImportError") and error.attributes.get("name") == "torch":
        return Failure(
            FailureKind.USAGE,
            f"torch is not installed in {python}; install it there or choose another interpreter.",
            file,
            line,
            Action(ActionKind.CHOOSE_INTERPRETER),
        )
    return _answered(ending) or Failure(FailureKind.TARGET_FAILED, _raised(ending), file, line)


def _answered(ending: Ending) -> Failure | None:
    answer = recognise(ending)
    if answer is None:
        return None
    place = ending.place
    file, line = (place.file, place.line) if place else (None, None)
    return Failure(answer.kind, answer.text, file, line, answer.action)


def _raised(ending: Ending) -> str:
    error = ending.error
    assert error is not None, "the agent names what was raised"
    detail = f": {error.first_line}" if error.first_line else ""
    who = ending.name
    if ending.process != "main":
        who += f", in the child process {ending.process},"
    return f"{who} raised {error.types[0].rpartition('.')[2]}{ending.at}{ending.when}{detail}"


def ended_early(message: dict[str, Any], told: Told) -> Failure:
    """The target ended by itself with too few steps to measure."""
    ending = told.ending(message)
    name, code, place = ending.name, ending.code, ending.place
    file, line = (place.file, place.line) if place else (None, None)
    if code is not None and not ended_well(code):
        text = f"{name} called exit({code}){ending.at} before enough steps were seen."
        if code[:1] not in "'\"":
            text += last_words(ending.output)
        return _answered(ending) or Failure(FailureKind.TARGET_FAILED, text, file, line)
    text = no_step(message, name) + last_words(ending.output)
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


CRASHES = frozenset(
    -number
    for number in (
        signal.SIGSEGV,
        signal.SIGABRT,
        signal.SIGILL,
        signal.SIGFPE,
        getattr(signal, "SIGBUS", signal.SIGSEGV),
    )
)
"""Exit statuses of a process that crashed in native code."""


def died(status: int, told: Told) -> Failure:
    """The process ended without a word: killed, crashed in native code, or ``os._exit``."""
    name = told.request.target.name
    file, line = _crash_site(told.errors, told.request.target.absolute().parent)
    where = f" at {Path(file).name}:{line}" if file else ""
    if status >= 0:
        text = (
            f"{name} ended its process with status {status} before enough steps were seen{where}."
        ) + last_words(told.output)
    else:
        try:
            word = signal.Signals(-status).name
        except ValueError:
            word = f"signal {-status}"
        text = f"{name} was ended by {word}{where}."
        if word == "SIGKILL":
            text += " The system does that to a process that takes too much memory."
        elif status in CRASHES:
            text = f"{name} crashed in native code ({word}){where}."
    return Failure(FailureKind.TARGET_FAILED, text, file, line)


def timed_out(name: str, seconds: float, where: dict[str, Any] | None, ticks: bool) -> Failure:
    """No step within the time limit; ``where`` is the agent's answer, None if it gave none.

    ``ticks`` says that there were steps before.
    """
    text = f"{name} made no {'further ' if ticks else ''}step within {seconds:g} s"
    file = line = None
    if where:
        if where.get("site"):
            file, line = where["site"]
            text += f"; {_places(where, Path(file).name, line)}"
        seen = [f"{count} {kind} events" for kind, count in where["counts"].items() if count]
        if not ticks:
            text += f"; seen so far: {', '.join(seen) if seen else 'nothing of a step'}"
    option = (
        "setting stepscope.stepTimeout, or --step-timeout"
        if ticks
        else "setting stepscope.timeout, or --timeout"
    )
    return Failure(
        FailureKind.TIMED_OUT,
        f"{text}. A longer limit can be set ({option}).",
        file,
        line,
    )


def _places(where: dict[str, Any], file: str, line: int) -> str:
    """Where it was; of several ranks, where each of them was."""
    sites = where.get("sites", ())
    if len(sites) < 2:
        return f"it was at {file}:{line}"
    return ", ".join(f"rank {rank} was at {Path(path).name}:{at}" for rank, path, at in sites)


def of_rank(failure: Failure, rank: int, count: int) -> Failure:
    """The failure of one of several ranks, which says which."""
    return dataclasses.replace(failure, message=f"Rank {rank} of {count}: {failure.message}")


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
