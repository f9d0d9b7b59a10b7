"""Plain data of a run: what was asked, how far it is, and how it ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class Phase(str, Enum):
    """The phases of a run, in order, in the words that a person sees."""

    STARTING = "starting"
    WARMING_UP = "warming up"
    MEASURING = "measuring"
    CAPTURING = "capturing"
    ANALYSING = "analysing"


@dataclass(frozen=True, slots=True)
class Stillness:
    """A target that has made no step for a while, and where it is. ``first``: it made none yet."""

    seconds: float
    first: bool
    file: str | None = None
    line: int | None = None  # 1-based


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``step`` of ``total`` counts within the phase; None where unknown.

    ``still``: the person may be asked whether to wait on; the answer goes to ``CancelToken``.
    """

    phase: Phase
    step: int | None = None
    total: int | None = None
    still: Stillness | None = None


class FailureKind(str, Enum):
    """Why no report was made. Each has one exit status (see ``EXIT_STATUS``)."""

    TARGET_FAILED = "target-failed"  # the user's code raised, exited, crashed or was killed
    USAGE = "usage"  # no such file, no such interpreter, torch missing or too old
    NO_STEP = "no-step"
    TIMED_OUT = "timed-out"
    CANCELLED = "cancelled"


EXIT_STATUS: dict[FailureKind, int] = {
    FailureKind.TARGET_FAILED: 1,
    FailureKind.USAGE: 2,
    FailureKind.NO_STEP: 3,
    FailureKind.TIMED_OUT: 4,
    FailureKind.CANCELLED: 130,
}


class ActionKind(str, Enum):
    """What a person can do about a failure at once. ``values`` of the action are said here."""

    RUN_ON_CPU = "run-on-cpu"
    SET_ARGS = "set-args"
    SET_CWD = "set-cwd"  # the folder, where one is known
    SET_ENV = "set-env"  # NAME=VALUE, one or several
    SET_PROCESSES = "set-processes"  # how many
    INSTALL = "install"  # what pip is to install
    CHOOSE_INTERPRETER = "choose-interpreter"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do next, for a button."""

    kind: ActionKind
    values: tuple[str, ...] = ()


# Not frozen: contextlib sets the traceback of what passes through it.
@dataclass(eq=False)
class Failure(Exception):
    """No report: one sentence for a person, and the user's own last line where there is one."""

    kind: FailureKind
    message: str
    file: str | None = None
    line: int | None = None  # 1-based
    action: Action | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Limits:
    """Times of a run beside ``ProfileRequest.timeout_s``, in seconds."""

    ask_s: float = 60.0  # without a step, after which the person is told where the target is
    step_s: float = 120.0  # for one step, once there are steps
    grace_s: float = 5.0  # for the target's own end: its ``finally`` and ``atexit``


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """One "Profile this model". ``steps`` and ``warmup`` None: chosen by the agent."""

    target: Path
    args: tuple[str, ...] = ()
    python: str | None = None  # interpreter to run the target with; None: this one
    cwd: Path | None = None  # None: the current folder
    steps: int | None = None
    warmup: int | None = None
    timeout_s: float = 300.0  # for the set-up: no first step within it ends the run
    workspace: tuple[Path, ...] = ()  # further roots of user code
    loop: int | None = None  # line of the loop whose passes are the steps; None: to be found
    cpu: bool = False  # redirect requests for accelerators to the CPU
    env: tuple[tuple[str, str], ...] = ()  # environment variables, over those of this process
    limits: Limits = field(default_factory=Limits)
    guard: bool = True  # existing files stay as they are, services are kept offline
    symbol: str | None = None  # the class that was asked for
    # How that class is made and called: Python text (``Net(3)``, ``torch.randn(8, 3), mask=None``).
    model_expression: str | None = None
    inputs_expression: str | None = None
    # The same from the settings: (class, constructor or None, inputs or None).
    model_inputs: tuple[tuple[str, str | None, str | None], ...] = ()
    processes: int | None = None  # ranks on this machine, started by torchrun; None: without it


@dataclass(frozen=True, slots=True)
class FilesAfter:
    """What a run did to files, known once its last process has ended. Absolute paths.

    ``kept`` existed, and the target's writes to them were dropped. ``changed`` existed and are
    not as they were: the guard may have let that through. ``created`` are new, and still there.
    """

    guard: str  # "overlay", "functions" or "off"
    kept: tuple[str, ...] = ()
    created: tuple[NewFile, ...] = ()
    folders: tuple[str, ...] = ()  # new ones
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewFile:
    """A new file as the run left it; what has changed since is no longer the run's to remove."""

    path: str
    size: int
    mtime_ns: int


ENDING = "stepscope-end"
"""Name of the thread in which a run ends behind its report."""

OnFiles = Callable[[FilesAfter], None]
OnProgress = Callable[[Progress], None]
OnOutput = Callable[[bytes], None]


@dataclass(slots=True)
class CancelToken:
    """Set from any thread; the session polls nothing, it waits on it."""

    _event: threading.Event = field(default_factory=threading.Event)
    _callbacks: list[Callable[[], None]] = field(default_factory=list)
    _patient: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Ask the run to stop. Safe to call twice."""
        self._event.set()
        for callback in tuple(self._callbacks):
            callback()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked."""
        return self._event.is_set()

    def wait_on(self) -> None:
        """Lift the limits on set-up and steps: somebody was asked, and wants to wait."""
        self._patient.set()

    @property
    def patient(self) -> bool:
        """Whether somebody wants to wait however long it takes."""
        return self._patient.is_set()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once asked (at once if that has happened)."""
        self._callbacks.append(callback)
        if self.cancelled:
            callback()
