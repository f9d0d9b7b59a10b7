"""What is known about a target that ended by itself: plain data that every recogniser reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stepscope.session.model import Action, FailureKind, ProfileRequest


def ended_well(code: str | None) -> bool:
    """Whether a target that ended by itself did so with success.

    ``code`` is the ``repr`` of what it gave to ``exit``, None if it did not call it.
    """
    return code in (None, "None", "0")


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception: its type's full names along the MRO, its message, and what hangs on it.

    ``attributes`` holds those of ``ATTRIBUTES`` in ``agent/errors.py`` that it has.
    """

    types: tuple[str, ...]
    message: str
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def is_a(self, *names: str) -> bool:
        """Whether one of the full names is a type of it."""
        return any(name in self.types for name in names)

    @property
    def first_line(self) -> str:
        """The message's first line, cut to what a person reads."""
        lines = self.message.strip().splitlines()
        return lines[0].strip()[:300] if lines else ""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int  # 1-based

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True, slots=True)
class Files:
    """The questions that a recogniser may ask about the disk."""

    exists: Callable[[Path], bool] = Path.exists
    read: Callable[[Path], str] = lambda path: path.read_text("utf-8", "replace")
    folders: Callable[[Path], list[Path]] = lambda path: _folders(path)
    holds_python: Callable[[Path], bool] = lambda path: any(path.glob("*.py"))

    def line(self, place: Place | None) -> str:
        """The text of a line, empty where it cannot be read."""
        lines = self.text(place).splitlines()
        return lines[place.line - 1].strip() if place and place.line <= len(lines) else ""

    def text(self, place: Place | None) -> str:
        """The text of a file, empty where it cannot be read."""
        try:
            return "" if place is None else self.read(Path(place.file))
        except OSError:
            return ""


@dataclass(frozen=True, slots=True)
class Ending:
    """A target that ended by itself: what it raised or exited with, where, and what it printed.

    ``chain`` holds the exception and its causes, outermost first; empty where it exited. ``code``
    is the text of its exit code's ``repr``; None where it did not exit.
    """

    request: ProfileRequest
    python: str
    chain: tuple[Raised, ...] = ()
    code: str | None = None
    place: Place | None = None  # the user's own last line
    deepest: str = ""  # module of the innermost frame
    wanted: Mapping[str, str] = field(default_factory=dict)  # url, repository: what it fetched
    versions: Mapping[str, str] = field(default_factory=dict)  # of the libraries it had imported
    ticks: int = 0
    process: str = "main"  # which process raised: "main", or a child in words
    errors: str = ""  # the end of its standard error
    output: str = ""  # the end of all it printed
    files: Files = field(default_factory=Files)

    @property
    def error(self) -> Raised | None:
        """What it raised."""
        return self.chain[0] if self.chain else None

    @property
    def name(self) -> str:
        """The target, as a person calls it."""
        return self.request.target.name

    @property
    def at(self) -> str:
        """`` at train.py:3``, or nothing."""
        return f" at {self.place}" if self.place else ""

    @property
    def when(self) -> str:
        """`` before its first step``, or after how many."""
        if not self.ticks:
            return " before its first step"
        return f" after {self.ticks} step{'s' if self.ticks > 1 else ''}"

    @property
    def folder(self) -> Path:
        """The folder in which it ran."""
        return (self.request.cwd or Path.cwd()).absolute()

    def find(self, *names: str) -> Raised | None:
        """The outermost exception of the chain that has one of the full type names."""
        return next((raised for raised in self.chain if raised.is_a(*names)), None)

    def says(self, *texts: str) -> Raised | None:
        """The outermost exception of the chain whose message holds one of the texts."""
        return next(
            (raised for raised in self.chain if any(text in raised.message for text in texts)), None
        )

    def around(self) -> list[Path]:
        """Folders in which something that was not found may lie, the likeliest first.

        The target's own folder and those above it up to the workspace (four levels where there is
        none), the workspace, the working folder, and what lies right below those.
        """
        own = self.request.target.absolute().parent
        roots = [root.absolute() for root in self.request.workspace]
        above = [own]
        for parent in own.parents[:4]:
            if above[-1] in roots or parent == Path(parent.anchor):
                break
            above.append(parent)
        near = [*above, *roots, self.folder]
        below = [folder for parent in near for folder in self.files.folders(parent)]
        return list(dict.fromkeys([*near, *below]))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a recogniser says: a sentence (or two), what can be done at once, and the kind."""

    text: str
    action: Action | None = None
    kind: FailureKind = FailureKind.TARGET_FAILED


Recogniser = Callable[[Ending], Answer | None]

_MOST_FOLDERS = 60
_PASSED_OVER = frozenset(("node_modules", "__pycache__", "site-packages", "venv", "env", "build"))


def _folders(path: Path) -> list[Path]:
    """Folders right below ``path``; of a folder with very many, none: it is no project's."""
    try:
        with os.scandir(path) as entries:
            found = [Path(entry.path) for entry in entries if entry.is_dir()]
    except OSError:
        return []
    if len(found) > _MOST_FOLDERS:
        return []
    return sorted(
        folder
        for folder in found
        if folder.name not in _PASSED_OVER and not folder.name.startswith(".")
    )
