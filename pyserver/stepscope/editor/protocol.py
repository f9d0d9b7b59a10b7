"""The messages that are ours: commands, their parameters and answers, one notification.

The extension's ``contributions.ts`` names the same commands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

COMMAND_PROFILE = "stepscope.profile"
COMMAND_OPEN = "stepscope.open"
"""``{paths}``: recordings, as paths or URIs of files or folders; answered like a profile."""
COMMAND_GET_REPORT = "stepscope.getReport"
"""``{uri}``: the latest report of the file or recording, with ``charts``; null: none is kept."""
COMMAND_FIX_AND_MEASURE = "stepscope.fixAndMeasure"
"""``{uri, rule, line}``: make the fix of that rule on that line, run the target as before, and say
what it gained; answered like a profile."""
COMMAND_CANCEL = "stepscope.cancel"
COMMAND_CLEAR = "stepscope.clear"
COMMAND_EDIT_ASSUMPTION = "stepscope.editAssumption"
"""``{uri}``: write what the last run assumed about the file's model above its class."""
COMMAND_REMOVE_NEW_FILES = "stepscope.removeNewFiles"
"""No parameters; answers ``{removed, left}``: paths of files that runs made, ``left`` because they
have changed since."""

CLIENT_OPEN_REPORT = "stepscope.openReport"
"""A client's own command, ``{uri, line?}``: show the report, at the row of that measured line."""
CLIENT_COPY_FIGURES = "stepscope.copyFigures"
"""A client's own command, ``{text}``: put the figures of a line on the clipboard."""

REPORT_NOTIFICATION = "stepscope/report"
"""``{uri, report}``: a report was made; ``report`` follows ``report.schema.json``."""
OUTPUT_NOTIFICATION = "stepscope/output"
"""``{uri, text, begins}``: whole lines that the profiled file printed, without a last line break;
``begins`` with the first message of a run, whose text is empty. Sent to a client that says
``experimental.stepscope.output``; others find the lines in their log."""
SHOW_OUTPUT_NOTIFICATION = "stepscope/showOutput"
"""``{uri}``: the person wants to see that output."""

HEAT_NOTIFICATION = "stepscope/heat"
"""``{uri, version, lines: [{line, level, share, stale}]}``: marks beside the lines of a file, for a
client that says ``experimental.stepscope.heat``. ``line`` is 1-based, ``level`` 1 to 3; ``version``
is that of the text they belong to, null for a file that is not open."""

SAVE_FILES = "stepscope/saveFiles"
"""``{uris}`` -> whether they are saved: asked of a client that says
``experimental.stepscope.saveFiles`` before edited files are run."""

DIAGNOSTIC_SOURCE = "stepscope"


class ProfileAnswer(TypedDict, total=False):
    """Answer to ``stepscope.profile`` and ``stepscope.open``, sent when there is a report or none.

    ``message`` is why there is none, or what bounds the step; ``step_ms`` is left out of a report
    without times.
    """

    ok: bool
    message: str
    step_ms: float


@dataclass(frozen=True, slots=True)
class ProfileParams:
    """``{uri}``, and any of the fields below; ``enterArguments`` is spelled like that.

    None: as the options say.

    ``loop`` is the line of a loop whose passes are the steps, remembered for the file; ``null``
    forgets it (``forgets_loop``), and without the key the remembered one is used.
    """

    uri: str
    args: tuple[str, ...] | None = None
    steps: int | None = None
    loop: int | None = None
    forgets_loop: bool = False
    symbol: str | None = None  # the class that was asked for
    cpu: bool | None = None
    processes: int | None = None  # ranks that torchrun starts
    cwd: str | None = None
    env: tuple[tuple[str, str], ...] | None = None
    python: str | None = None  # the interpreter: a path, or a name on the PATH
    launch: str | None = None  # what the person calls these settings; shown with the progress
    enter_arguments: bool = False  # ask the person for them first
    given: dict[str, Any] = field(default_factory=dict)  # all of it, as it was sent


def parse_profile_params(arguments: tuple[Any, ...]) -> ProfileParams:
    """The parameters of ``stepscope.profile``. Raises ValueError with a sentence for a person."""
    given = _only_object(COMMAND_PROFILE, arguments)
    uri = given.get("uri")
    if not isinstance(uri, str) or not uri:
        raise ValueError(f"{COMMAND_PROFILE} needs the uri of a file.")
    args = given.get("args")
    if args is not None and not _is_list_of_strings(args):
        raise ValueError(f"{COMMAND_PROFILE}: args must be a list of strings.")
    steps = given.get("steps")
    if steps is not None and (not isinstance(steps, int) or steps < 1):
        raise ValueError(f"{COMMAND_PROFILE}: steps must be a whole number from 1.")
    loop = given.get("loop")
    if loop is not None and (not isinstance(loop, int) or loop < 1):
        raise ValueError(f"{COMMAND_PROFILE}: loop must be the line of a loop.")
    symbol = given.get("symbol")
    if symbol is not None and not isinstance(symbol, str):
        raise ValueError(f"{COMMAND_PROFILE}: symbol must be the name of a class.")
    env = given.get("env")
    if env is not None and not is_environment(env):
        raise ValueError(f"{COMMAND_PROFILE}: env must be an object of strings.")
    cwd = given.get("cwd")
    if cwd is not None and not isinstance(cwd, str):
        raise ValueError(f"{COMMAND_PROFILE}: cwd must be a path.")
    python = given.get("python")
    if python is not None and (not isinstance(python, str) or not python):
        raise ValueError(f"{COMMAND_PROFILE}: python must be the path of an interpreter.")
    launch = given.get("launch")
    if launch is not None and not isinstance(launch, str):
        raise ValueError(f"{COMMAND_PROFILE}: launch must be a name.")
    cpu = given.get("cpu")
    if cpu is not None and not isinstance(cpu, bool):
        raise ValueError(f"{COMMAND_PROFILE}: cpu must be true or false.")
    processes = given.get("processes")
    if processes is not None and (not _is_whole(processes) or processes < 1):
        raise ValueError(f"{COMMAND_PROFILE}: processes must be a whole number from 1.")
    return ProfileParams(
        uri=uri,
        args=None if args is None else tuple(args),
        steps=steps,
        loop=loop,
        forgets_loop="loop" in given and loop is None,
        symbol=symbol,
        cpu=cpu,
        processes=processes,
        cwd=cwd,
        env=None if env is None else tuple(env.items()),
        python=python,
        launch=launch or None,
        enter_arguments=given.get("enterArguments") is True,
        given={key: value for key, value in given.items() if key != "enterArguments"},
    )


def parse_open_params(arguments: tuple[Any, ...]) -> tuple[str, ...]:
    """The paths of ``stepscope.open``. Raises ValueError with a sentence for a person."""
    paths = _only_object(COMMAND_OPEN, arguments).get("paths")
    if not _is_list_of_strings(paths) or not paths or not all(paths):
        raise ValueError(f"{COMMAND_OPEN} needs paths: a list of files or folders.")
    return tuple(paths)


def parse_get_report_params(arguments: tuple[Any, ...]) -> str | None:
    """The uri of ``stepscope.getReport``; None: it asks for something else."""
    uri = _only_object(COMMAND_GET_REPORT, arguments).get("uri")
    return uri if isinstance(uri, str) else None


def parse_fix_params(arguments: tuple[Any, ...]) -> tuple[str, str, int]:
    """uri, rule and line of ``stepscope.fixAndMeasure``. Raises ValueError with a sentence."""
    given = _only_object(COMMAND_FIX_AND_MEASURE, arguments)
    uri, rule, line = given.get("uri"), given.get("rule"), given.get("line")
    if not (isinstance(uri, str) and isinstance(rule, str) and isinstance(line, int)) or line < 1:
        raise ValueError(f"{COMMAND_FIX_AND_MEASURE} needs uri, rule and line.")
    return uri, rule, line


def parse_clear_params(arguments: tuple[Any, ...]) -> str | None:
    """The uri whose report ``stepscope.clear`` removes; None: every report."""
    if not arguments or arguments[0] is None:
        return None
    uri = _only_object(COMMAND_CLEAR, arguments).get("uri")
    return uri if isinstance(uri, str) else None


def parse_edit_assumption_params(arguments: tuple[Any, ...]) -> str:
    """The uri of ``stepscope.editAssumption``. Raises ValueError with a sentence for a person."""
    uri = _only_object(COMMAND_EDIT_ASSUMPTION, arguments).get("uri")
    if not isinstance(uri, str) or not uri:
        raise ValueError(f"{COMMAND_EDIT_ASSUMPTION} needs the uri of a file.")
    return uri


def _only_object(command: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
    if len(arguments) != 1 or not isinstance(arguments[0], dict):
        raise ValueError(f"{command} takes one object.")
    return arguments[0]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list_of_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_environment(value: object) -> bool:
    """Whether ``value`` names environment variables and their values."""
    return isinstance(value, dict) and all(
        isinstance(name, str) and name and "=" not in name and isinstance(text, str)
        for name, text in value.items()
    )
