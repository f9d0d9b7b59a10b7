"""Where in the user's code an event happened, and where in a pass of a loop that is."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

from .loops import Loop, LoopIndex
from .usercode import UserCode


@dataclass(frozen=True)
class Site:
    """Where an event happened: user frames innermost first, with every loop around each.

    A loop that calls what it loops over, a list of handlers, is left out: it is how the caller
    reaches its callee, and no repetition of it.
    """

    frames: tuple[tuple[int, str, int], ...]  # (id of frame, file, line)
    loops: tuple[tuple[int, Loop], ...]  # (index into frames, loop), innermost first


@dataclass(frozen=True)
class Position:
    """Where in a pass of a loop a site is. Within one pass keys only rise.

    ``key`` holds the lines from the loop's own ``frame`` inwards, up to the header of ``inner``,
    the outermost loop further in, if there is one.
    """

    frame: int
    key: tuple[int, ...]
    inner: Loop | None


def site_of(frame: FrameType | None, user: UserCode, index: LoopIndex) -> Site:
    """The user's frames of a stack and the loops around them."""
    frames: list[tuple[int, str, int]] = []
    loops: list[tuple[int, Loop]] = []
    while frame is not None:
        code = frame.f_code
        if user.owns(code):
            line = frame.f_lineno or 0
            for loop in index.enclosing(code.co_filename, line):
                if not frames or line not in loop.calls:
                    loops.append((len(frames), loop))
            frames.append((id(frame), code.co_filename, line))
        elif frames and _drives(code.co_filename):
            break  # a framework called us: loops further out are not the step's
        frame = frame.f_back
    return Site(tuple(frames), tuple(loops))


def position(site: Site, loop: Loop | None) -> Position | None:
    """Where in the pass of ``loop`` the site is, None if it is outside."""
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


def _drives(filename: str) -> bool:
    """Whether a foreign frame between user frames means that a framework runs the loop."""
    normal = filename.replace("\\", "/")
    return "/site-packages/" in normal and "/site-packages/torch/" not in normal
