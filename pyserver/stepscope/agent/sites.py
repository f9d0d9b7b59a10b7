"""Where in the user's code an event happened, and where in a pass of a loop that is."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType

from .loops import Loop, LoopIndex
from .usercode import UserCode

_KEPT = 256


@dataclass(frozen=True)
class Position:
    """Where in a pass of a loop a site is. Within one pass keys only rise.

    ``key`` holds the lines from the loop's own ``frame`` inwards, up to the header of ``inner``,
    the outermost loop further in, if there is one.
    """

    frame: int
    key: tuple[int, ...]
    inner: Loop | None


@dataclass(frozen=True, eq=False)
class Site:
    """Where an event happened: user frames innermost first, with every loop around each.

    A loop that calls what it loops over, a list of handlers, is left out: it is how the caller
    reaches its callee, and no repetition of it.
    """

    frames: tuple[tuple[int, str, int], ...]  # (id of frame, file, line)
    loops: tuple[tuple[int, Loop], ...]  # (index into frames, loop), innermost first
    positions: dict[Loop, Position | None] = field(default_factory=dict)  # those found so far


class Sites:
    """Finds the sites of events.

    This is most of what hearing of a step costs the target. Step after step the sites are the same
    few, so they are kept, and of each event only its stack is read.
    """

    def __init__(self, user: UserCode, index: LoopIndex) -> None:
        self._user = user
        self._index = index
        self._known: dict[tuple[tuple[int, str, int], ...], Site] = {}

    def of(self, frame: FrameType | None) -> Site:
        """The user's frames of a stack and the loops around them."""
        known, owns = self._user.known, self._user.owns
        found: list[tuple[int, str, int]] = []
        while frame is not None:
            code = frame.f_code
            file = code.co_filename
            mine = known.get(file)
            if mine is None:
                mine = owns(code)
            if mine:
                found.append((id(frame), file, frame.f_lineno or 0))
            elif found and _drives(file):
                break  # a framework called us: loops further out are not the step's
            frame = frame.f_back
        frames = tuple(found)
        site = self._known.get(frames)
        if site is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            site = self._known[frames] = Site(frames, tuple(self._loops(frames)))
        return site

    def _loops(self, frames: tuple[tuple[int, str, int], ...]) -> Iterator[tuple[int, Loop]]:
        for index, (_, file, line) in enumerate(frames):
            for loop in self._index.enclosing(file, line):
                if index == 0 or line not in loop.calls:
                    yield index, loop


def position(site: Site, loop: Loop | None) -> Position | None:
    """Where in the pass of ``loop`` the site is, None if it is outside."""
    if loop is None:
        return None
    try:
        return site.positions[loop]
    except KeyError:
        found = site.positions[loop] = _find_position(site, loop)
        return found


def _find_position(site: Site, loop: Loop) -> Position | None:
    inner: tuple[int, Loop] | None = None
    for index, around in site.loops:
        if around == loop:
            first = 0 if inner is None else inner[0] + 1
            lines = tuple(line for _, _, line in reversed(site.frames[first : index + 1]))
            if inner is None:
                return Position(site.frames[index][0], lines, None)
            return Position(site.frames[index][0], (*lines, inner[1].line), inner[1])
        inner = (index, around)
    return None


def common_loop(site: Site, other: Site | None) -> Loop | None:
    """The innermost loop that holds both, in the same frame."""
    if other is None:
        return None
    theirs = {(other.frames[index][0], loop) for index, loop in other.loops}
    for index, loop in site.loops:
        if (site.frames[index][0], loop) in theirs:
            return loop
    return None


@functools.cache
def _drives(filename: str) -> bool:
    """Whether a foreign frame between user frames means that a framework runs the loop."""
    normal = filename.replace("\\", "/")
    return "/site-packages/" in normal and "/site-packages/torch/" not in normal
