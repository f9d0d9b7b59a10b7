"""Line-clock events -> per-thread tracks of the innermost user line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stepscope.timeline.call_paths import OUTSIDE, CallPaths
from stepscope.timeline.model import NOWHERE, Place, Track


@dataclass(frozen=True, slots=True)
class LoopMark:
    """The step's loop: ``first``..``last`` its lines, ``mark`` the lines where a pass begins."""

    file: str
    first: int
    last: int
    mark: tuple[int, int]


class Places:
    """Numbers (code, line) pairs; the same line of the same function is one place."""

    def __init__(self, codes: list[dict[str, Any]]) -> None:
        self.all: list[Place] = []
        self._codes = codes
        self._by_code: dict[tuple[int, int], int] = {}
        self._by_place: dict[Place, int] = {}

    def number(self, code: int, line: int) -> int:
        """The place's number."""
        known = self._by_code.get((code, line))
        if known is not None:
            return known
        entry = self._codes[code]
        place = Place(entry["file"], line, entry["function"])
        number = self._by_place.setdefault(place, len(self.all))
        if number == len(self.all):
            self.all.append(place)
        self._by_code[(code, line)] = number
        return number

    def first(self, code: int) -> int:
        """The place where the code begins."""
        return self.number(code, self._codes[code]["first_line"])


def build_tracks(
    clock: Mapping[str, Sequence[int]],
    places: Places,
    loop: LoopMark | None,
    bounded: Mapping[int, int] | None = None,
    paths: CallPaths | None = None,
) -> dict[int, Track]:
    """Replay enter, line and leave events on each thread's own stack.

    A frame that has been entered but has not begun a line yet is still its caller's line. Code
    whose lines are not told apart any more (``bounded``: since when) stays on its first line.
    ``paths`` is filled with the call paths that were seen.
    """
    tracks: dict[int, Track] = {}
    stacks: dict[int, _Stack] = {}
    number = places.number
    for time, thread, code, line in zip(
        clock["time"], clock["thread"], clock["code"], clock["line"], strict=True
    ):
        stack = stacks.get(thread)
        if stack is None:
            tracks[thread] = track = Track()
            stack = stacks[thread] = _Stack(track, places, loop, paths)
        if line > 0:
            stack.line(time, code, number(code, line), line)
        elif line == 0:
            if bounded and time >= bounded.get(code, time + 1):
                stack.begin(time, code, places.first(code), 0)
            else:
                stack.enter(code)
        elif line == -1:
            stack.leave(time, code)
        else:
            stack.begin(time, code, number(code, -1 - line), -1 - line)
    return tracks


class _Stack:
    """One thread's user frames: parallel lists of code, place, line and call path."""

    def __init__(
        self, track: Track, places: Places, loop: LoopMark | None, tree: CallPaths | None
    ) -> None:
        self._track = track
        self._places = places
        self._loop = loop
        self._codes: list[int] = []
        self._at: list[int] = []
        self._lines: list[int] = []
        self._tree = tree
        self._paths: list[int] = []
        self._loop_depth = -1

    def enter(self, code: int) -> None:
        if self._track.events:
            self._track.events[-1] += 1
        self._push(code, NOWHERE, 0)

    def begin(self, time: int, code: int, place: int, line: int) -> None:
        """A frame is there at once, without a line event.

        A generator goes on in ``line``, or the code's lines are not told apart any more (0).
        """
        self._push(code, place, line)
        if self._loop is not None and line:
            self._watch_loop(time, place, line)
        self._emit(time, place)

    def line(self, time: int, code: int, place: int, line: int) -> None:
        codes = self._codes
        if not codes or codes[-1] != code:
            # An event of a frame whose entering was not seen, or whose callee's leaving was not.
            while codes and codes[-1] != code:
                self._pop()
            if not codes:
                self.enter(code)
        if self._loop is not None:
            self._watch_loop(time, place, line)
        self._at[-1] = place
        self._lines[-1] = line
        if self._tree is not None:
            paths = self._paths
            paths[-1] = self._tree.below(paths[-2] if len(paths) > 1 else OUTSIDE, place)
        self._track.entries.append((time, place))
        self._emit(time, place)

    def leave(self, time: int, code: int) -> None:
        codes = self._codes
        if code not in codes:
            return
        while codes[-1] != code:
            self._pop()
        self._pop()
        for place in reversed(self._at):
            if place != NOWHERE:
                self._emit(time, place)
                return
        self._emit(time, NOWHERE)

    def _push(self, code: int, place: int, line: int) -> None:
        self._codes.append(code)
        self._at.append(place)
        self._lines.append(line)
        if self._tree is not None:
            above = self._paths[-1] if self._paths else OUTSIDE
            # A frame that has begun no line yet is still where its caller is.
            self._paths.append(above if place == NOWHERE else self._tree.below(above, place))

    def _pop(self) -> None:
        self._codes.pop()
        self._at.pop()
        self._lines.pop()
        if self._tree is not None:
            self._paths.pop()
        if self._loop_depth >= len(self._codes):
            self._loop_depth = -1

    def _watch_loop(self, time: int, place: int, line: int) -> None:
        loop = self._loop
        assert loop is not None
        if not loop.first <= line <= loop.last or self._places.all[place].file != loop.file:
            return
        depth = len(self._codes) - 1
        if self._loop_depth == -1:
            self._loop_depth = depth
        elif depth != self._loop_depth:
            return  # a function that is defined inside the loop's lines
        low, high = loop.mark
        if low <= line <= high and not low <= self._lines[-1] <= high:
            self._track.passes.append(time)

    def _emit(self, time: int, place: int) -> None:
        track = self._track
        track.starts.append(time)
        track.places.append(place)
        track.events.append(1)
        if self._tree is not None:
            track.paths.append(self._paths[-1] if self._paths else OUTSIDE)
        depth = self._loop_depth
        track.loops.append(self._at[depth] if depth >= 0 else NOWHERE)
