"""What a person can do about a failure with one click: a button of its message, a code action."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepscope.session.model import Action, ActionKind


@dataclass(frozen=True, slots=True)
class NextStep:
    """A title, and the parameters of ``stepscope.profile`` that do it."""

    title: str
    arguments: dict[str, Any]


def next_step(action: Action | None, given: dict[str, Any], *, can_enter: bool) -> NextStep | None:
    """The run that ``action`` means, with what was ``given`` to the one that failed.

    ``can_enter`` says that the client can ask its person for arguments. None: nothing can be done
    from here (a package is not ours to install).
    """
    if action is None:
        return None
    values = action.values
    if action.kind is ActionKind.RUN_ON_CPU:
        return NextStep("Run on CPU anyway", {**given, "cpu": True})
    if action.kind is ActionKind.SET_CWD and values:
        return NextStep(f"Run in folder {values[0]}", {**given, "cwd": values[0]})
    if action.kind is ActionKind.SET_ARGS and can_enter:
        return NextStep("Enter arguments", {**given, "enterArguments": True})
    if action.kind is ActionKind.SET_ENV:
        pairs = dict(pair.split("=", 1) for pair in values)
        env = {**(given.get("env") or {}), **pairs}
        return NextStep(_run_with(pairs), {**given, "env": env})
    if action.kind is ActionKind.SET_PROCESSES and values:
        title = f"Run {values[0]} processes with torchrun"
        return NextStep(title, {**given, "processes": int(values[0])})
    return None


def _run_with(pairs: dict[str, str]) -> str:
    if "PYTHONPATH" in pairs:
        folder = Path(pairs["PYTHONPATH"].split(os.pathsep)[0])
        return f"Run with modules of {folder}"
    return f"Run with {', '.join(pairs)}"
