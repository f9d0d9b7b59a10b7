"""Where one step ends and the next begins.

Order of trust: the script's own ``step()`` marks, optimizer steps, backward passes, outermost calls
of modules that own parameters. The events of a kind are grouped by the user's enclosing loop, which
is the innermost loop that holds both the optimizer step and its backward pass; all events of one
pass of that loop are one step.

Where a person has chosen a loop, its passes are the steps, and nothing else counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from .loops import Loop, LoopIndex
from .usercode import UserCode

KINDS = ("module", "backward", "optimizer", "explicit", "chosen")  # rising trust
_WORDS = {
    "chosen": "passes of the chosen loop",
    "explicit": "the script's own step() calls",
    "optimizer": "optimizer steps",
    "backward": "backward passes",
    "module": "outermost calls of modules that own parameters",
}
# A micro-batch loop may run this many backward passes before its first optimizer step.
_BACKWARDS_WITHOUT_STEP = 64


@dataclass(frozen=True)
class Site:
    """Where an event happened: user frames innermost first, with every loop around each."""

    frames: tuple[tuple[int, str, int], ...]  # (id of frame, file, line)
    loops: tuple[tuple[int, Loop], ...]  # (index into frames, loop), innermost first


class StepFinder:
    """Turns events into ticks, one tick per step.

    ``on_tick()`` is called once per step; ``on_change()`` when the notion of a step changed,
    so that what was counted before is void. ``expects(kind)`` tells whether the user's source has
    events of a more trusted kind still to come.
    """

    def __init__(
        self,
        user: UserCode,
        on_tick: Callable[[], None],
        on_change: Callable[[], None],
        expects: Callable[[str], bool],
    ) -> None:
        self._user = user
        self._on_tick = on_tick
        self._on_change = on_change
        self._expects = expects
        self.index = LoopIndex()
        self.kind: str | None = None
        self.loop: Loop | None = None
        self.counts = dict.fromkeys(KINDS, 0)
        self._last: Site | None = None
        self._backward: Site | None = None
        self._in_other_loop = False

    def choose(self, loop: Loop) -> None:
        """From now on each pass of ``loop``, told as an event "chosen", is a step."""
        self.kind, self.loop = "chosen", loop

    def describe(self) -> str:
        """How steps were found, as a sentence for the report."""
        if self.kind is None:
            return "no step was found"
        words = _WORDS[self.kind]
        if self.kind == "chosen" and self.loop is not None:
            return f"{words} at line {self.loop.line} of {self.loop.file}"
        if self.kind == "explicit" or self.loop is None:
            return (
                f"{words} (no loop of the user's own around them)" if self.loop is None else words
            )
        return f"{words} in the loop at line {self.loop.line} of {self.loop.file}"

    def event(self, kind: str, frame: FrameType | None) -> None:
        """Something that may end a step has just happened in ``frame``."""
        self.counts[kind] += 1
        if self.kind == "chosen":
            if kind == "chosen":
                self._on_tick()
            return
        if self.kind is not None and KINDS.index(kind) < KINDS.index(self.kind):
            if kind == "backward":
                self._backward = self._site(frame)
            return
        site = self._site(frame)
        if self.kind != kind and not self._promote(kind, site):
            return
        previous, self._last = self._last, site
        backward, self._backward = self._backward, None
        if kind == "explicit":
            self._on_tick()
            return
        if not self._in_loop(site) or self.loop is None:
            partner = backward if kind == "optimizer" and backward else previous
            found = _common_loop(site, partner)
            if found is not None and found != self.loop:
                self.loop = found
                previous = None
                self._on_change()
        if previous is None or self._is_new_pass(site, previous, backward):
            self._on_tick()

    def _promote(self, kind: str, site: Site) -> bool:
        """Whether events of ``kind`` are what steps are counted by, from now on."""
        waiting = False
        if kind == "backward":
            waiting = (
                self._expects("optimizer") and self.counts["backward"] < _BACKWARDS_WITHOUT_STEP
            )
            self._backward = site
        elif kind == "module":
            waiting = self._expects("optimizer") or self._expects("backward")
        if waiting:
            return False
        self.kind = kind
        self.loop = None
        self._last = None
        self._on_change()
        return True

    def _site(self, frame: FrameType | None) -> Site:
        frames: list[tuple[int, str, int]] = []
        loops: list[tuple[int, Loop]] = []
        while frame is not None:
            code = frame.f_code
            if self._user.owns(code):
                line = frame.f_lineno or 0
                for loop in self.index.enclosing(code.co_filename, line):
                    loops.append((len(frames), loop))
                frames.append((id(frame), code.co_filename, line))
            elif frames and _drives(code.co_filename):
                break  # a framework called us: loops further out are not the step's
            frame = frame.f_back
        return Site(tuple(frames), tuple(loops))

    def _in_loop(self, site: Site) -> bool:
        return self.loop is not None and any(loop == self.loop for _, loop in site.loops)

    def _is_new_pass(self, site: Site, previous: Site, backward: Site | None) -> bool:
        here, before = _position(site, self.loop), _position(previous, self.loop)
        if here is None or before is None:
            return True
        if here.frame != before.frame or here.line < before.line:
            return True
        if here.line > before.line:
            return False
        if here.inner is None:
            return True
        # The same place inside a loop of the pass: a new pass only if a backward ran outside it.
        return backward is not None and all(loop != here.inner for _, loop in backward.loops)


@dataclass(frozen=True)
class _Position:
    frame: int
    line: int
    inner: Loop | None


def _position(site: Site, loop: Loop | None) -> _Position | None:
    """Where in the pass of ``loop`` the site is, and the innermost loop further in, if any."""
    if loop is None:
        return None
    inner: Loop | None = None
    for index, around in site.loops:
        if around == loop:
            frame, _, line = site.frames[index]
            return _Position(frame, line, inner)
        inner = inner or around
    return None


def _common_loop(site: Site, other: Site | None) -> Loop | None:
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
