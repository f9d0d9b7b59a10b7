"""The columns of the charts, spelt as ``report.schema.json`` says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from stepscope.timeline.model import NOWHERE, Place

Json = dict[str, Any]

NONE = -1
"""An index that points at nothing."""


@dataclass(slots=True)
class Lane:
    """Spans of one kind on one thread, stream or device.

    Times are ns after the start of the shown step. ``event`` is the recorded event behind a span
    and ``launch`` the event that launched it (indices into ``Ops``, -1 without); ``launch`` stays
    empty on the host.
    """

    kind: str  # "lines" | "host" | "stream" | "copies" | "communication" | "marks"
    title: str
    thread: int | None = None
    device: int | None = None
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    event: list[int] = field(default_factory=list)
    launch: list[int] = field(default_factory=list)

    def add(
        self, start: int, end: int, depth: int, name: int, place: int, event: int = NONE
    ) -> None:
        """One span; ``name`` and ``place`` are numbers of ``Names``."""
        self.start.append(start)
        self.end.append(end)
        self.depth.append(depth)
        self.name.append(name)
        self.place.append(place)
        self.event.append(event)

    def keep(self, chosen: list[int]) -> None:
        """Drop every span but the ``chosen``, which are in order."""
        for column in (self.start, self.end, self.depth, self.name, self.place, self.event):
            column[:] = [column[span] for span in chosen]
        if self.launch:
            self.launch[:] = [self.launch[span] for span in chosen]


class Names:
    """Every text and every place that is shown, once."""

    def __init__(self, places: list[Place]) -> None:
        self.texts: list[str] = []
        self.shown: list[int] = []  # numbers of ``places``, in the order in which they were asked
        self._places = places
        self._of_text: dict[str, int] = {}
        self._of_place: dict[int, int] = {}
        self._of_line: dict[int, int] = {}

    def text(self, text: str) -> int:
        """The number of a text."""
        number = self._of_text.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number

    def place(self, place: int) -> int:
        """The number of a place; -1 for none."""
        if place == NOWHERE:
            return NONE
        number = self._of_place.setdefault(place, len(self.shown))
        if number == len(self.shown):
            self.shown.append(place)
        return number

    def line(self, place: int) -> int:
        """The number of the text that names a line: ``train.py:41 main``."""
        known = self._of_line.get(place)
        if known is None:
            at = self._places[place]
            # Of a recording of another system.
            file = PurePath(at.file.replace("\\", "/")).name
            known = self._of_line[place] = self.text(f"{file}:{at.line} {at.function}".rstrip())
        return known

    def place_rows(self) -> list[Json]:
        """The places that were asked for."""
        found = (self._places[number] for number in self.shown)
        return [{"file": at.file, "line": at.line, "function": at.function} for at in found]


@dataclass(slots=True)
class Tree:
    """A tree of costs in pre-order; ``self_ms`` add up to its root's whole."""

    parent: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    self_ms: list[float] = field(default_factory=list)

    def add(self, parent: int, name: int, place: int, ms: float) -> int:
        """One node, after its parent and all that is below the node before it."""
        self.parent.append(parent)
        self.name.append(name)
        self.place.append(place)
        self.self_ms.append(ms)
        return len(self.parent) - 1

    def to_json(self) -> Json:
        """As plain data."""
        return {
            "parent": self.parent,
            "name": self.name,
            "place": self.place,
            "self_ms": [round(ms, 9) for ms in self.self_ms],
        }
