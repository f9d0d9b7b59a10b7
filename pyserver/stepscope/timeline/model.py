"""One neutral set of events: what ran when, on which thread, under which user line.

Times are integer nanoseconds since the epoch throughout. Nothing here knows where the events came
from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stepscope.timeline.call_paths import CallPaths

NOWHERE = -1
"""The place of a moment at which no user line was running."""


@dataclass(frozen=True, slots=True)
class Place:
    """One source line of one function."""

    file: str
    line: int
    function: str


@dataclass(slots=True)
class Track:
    """What one thread's innermost user line was, moment by moment.

    ``starts[i]`` to ``starts[i + 1]`` belongs to ``places[i]`` (an index into ``Timeline.places``,
    or ``NOWHERE``). ``loops[i]`` is the place of the step's own loop frame at that time: the line
    of the training loop under which everything deeper runs. ``passes`` are the times at which that
    loop began a new pass. ``entries`` are the times at which a line began. ``events[i]`` is how
    many clock events fell into the segment: each one cost the target ``Recording.event_ns``.
    ``paths[i]`` is the call path that leads to ``places[i]`` (a number of ``Recording.paths``);
    empty where those are not told.
    """

    starts: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)
    entries: list[tuple[int, int]] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)

    def at(self, time: int) -> int:
        """Index of the segment that holds ``time``; -1 before the first."""
        return bisect_right(self.starts, time) - 1

    def place_at(self, time: int) -> int:
        """The place that ran at ``time``; ``NOWHERE`` before the first."""
        segment = self.at(time)
        return self.places[segment] if segment >= 0 else NOWHERE


@dataclass(slots=True)
class Ops:
    """Host and device events as columns; the same index is the same event.

    ``kind`` indexes ``Timeline.kinds``. Host events carry the system's thread id in ``native`` and
    the profiler's own number in ``thread``; device events carry their stream in ``thread``.
    """

    name: Sequence[int]
    start: Sequence[int]
    duration: Sequence[int]
    thread: Sequence[int]
    native: Sequence[int]
    sequence: Sequence[int]
    forward_thread: Sequence[int]
    scope: Sequence[int]
    kind: Sequence[int]
    device: Sequence[int]
    correlation: Sequence[int]
    linked: Sequence[int]
    inputs: Sequence[int]

    def __len__(self) -> int:
        return len(self.start)


@dataclass(slots=True)
class MemoryEvents:
    """Allocations (positive ``size``) and frees (negative), in time order.

    Recorded traces may know no addresses (-1), but what the allocator of the event's device had in
    use and held right after it: ``total`` and ``reserved``, -1 where not told, None where no event
    tells.
    """

    time: Sequence[int]
    address: Sequence[int]
    size: Sequence[int]
    thread: Sequence[int]
    device: Sequence[int]
    total: Sequence[int] | None = None
    reserved: Sequence[int] | None = None


@dataclass(slots=True)
class Fetches:
    """Calls of a DataLoader's ``__next__``; ``cpu`` is the thread's own processor time in ns."""

    start: Sequence[int]
    end: Sequence[int]
    cpu: Sequence[int]
    loader: Sequence[int]
    thread: Sequence[int]


@dataclass(slots=True)
class Recording:
    """One window of consecutive steps.

    ``kind``: "clean", "lines", "map" or "detail". ``bounds`` are the edges of its whole steps, so
    ``len(bounds) - 1`` steps lie inside. ``bounded`` holds, per place's (file, function), from when
    on the line clock no longer told its lines apart; ``event_ns`` is what one event of that clock
    costs. ``paths`` are the call paths of its tracks, None where they were not kept.
    """

    kind: str
    bounds: list[int]
    tracks: dict[int, Track]  # by system thread id
    ops: Ops | None
    memory: MemoryEvents | None
    bounded: dict[tuple[str, str], int]
    event_ns: float
    facts: dict[str, Any]
    paths: CallPaths | None = None

    @property
    def from_trace(self) -> bool:
        """Whether somebody else's profiler made it: no line clock, no pass without the profiler."""
        return bool(self.facts.get("from_trace"))

    @property
    def functions_only(self) -> bool:
        """Whether a place is a whole function: a recorded stack knows no line inside of it."""
        return bool(self.facts.get("functions_only"))

    @property
    def steps(self) -> int:
        """Whole steps in the window."""
        return max(0, len(self.bounds) - 1)


@dataclass(slots=True)
class Timeline:
    """Everything of one run."""

    facts: dict[str, Any]
    strings: list[str]
    kinds: tuple[str, ...]
    places: list[Place]
    recordings: list[Recording]
    fetches: Fetches
    step_thread: int  # system thread id
    notes: list[str]

    def recording(self, kind: str) -> Recording | None:
        """The recording of that kind, None if the run had none."""
        return next((r for r in self.recordings if r.kind == kind), None)
