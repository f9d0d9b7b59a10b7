"""Where one step ends and the next begins.

Order of trust: the script's own ``step()`` marks, the user's own loop around optimizer steps, the
batches or updates that a framework's training loop reports, optimizer steps, backward passes,
outermost calls of modules that own parameters. The events of a kind are grouped by the user's
enclosing loop, which is the innermost loop that holds both the optimizer step and its backward
pass; all events of one pass of that loop are one step. Where several such loops take turns, the
passes of the first one are the steps.

While a framework's own training loop runs (an ``Engine``), only what it reports ends a step: its
sanity checks and evaluations call modules too, the user's loop around it is over folds or seeds,
and a loop inside one of its batches is a part of that batch.

Where a person has chosen a loop, its passes are the steps, and nothing else counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from .loops import Loop, LoopIndex
from .sites import Position, Site, Sites, common_loop, position
from .usercode import UserCode

KINDS = ("module", "backward", "optimizer", "framework", "explicit", "chosen")  # rising trust
_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}
_WORDS = {
    "chosen": "passes of the chosen loop",
    "explicit": "the script's own step() calls",
    "optimizer": "optimizer steps",
    "backward": "backward passes",
    "module": "outermost calls of modules that own parameters",
}
# This many calls of a model in a row, in one loop, are a loop of their own: more than a few heads.
_CALLS_INSIDE = 8
# This many events of one kind may come before the first of a more trusted kind that is expected: a
# micro-batch loop runs many backward passes before its first optimizer step.
_EVENTS_WITHOUT_STEP = 64


@dataclass(frozen=True)
class Engine:
    """A framework's own training loop.

    ``steps`` says what it reports, in the words of the report. ``updates``: each of its events is
    one update of the parameters by itself. Otherwise an event ends a step only if an optimizer has
    stepped since the last one: a micro-batch of an accumulated update is no step. None of them do
    if not ``counts``: it tries something out, a learning rate say, before it trains.
    """

    steps: str
    updates: bool
    counts: bool = True


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
        self._on_tick = on_tick
        self._on_change = on_change
        self._expects = expects
        self.index = LoopIndex()
        self._site = Sites(user, self.index).of
        self.kind: str | None = None
        self.loop: Loop | None = None
        self._engines: list[Engine] = []  # running now, the innermost last
        self.begin_anew()

    def begin_anew(self) -> None:
        """Nothing has happened yet: in a forked process, what happened was the parent's doing."""
        if self.kind != "chosen":
            self.kind = self.loop = None
        self.counts = dict.fromkeys(KINDS, 0)
        self._last: Site | None = None
        self._backward: Site | None = None
        self._seen = 0  # events of the kind that steps are counted by
        self._left: set[Loop] = set()  # loops whose passes were taken for steps before
        self._settled = False  # whatever happens in another loop than ours is no step
        self._once: Loop | None = None  # a loop in the pass that has one event each time
        self._calls_inside = 0  # module calls in a row in one loop further in than ours
        self._engine: Engine | None = None  # the one whose events ended steps
        self._updates = 0  # optimizer steps inside frameworks' loops, and of these
        self._updates_counted = 0  # those before the latest step that a framework reported

    def choose(self, loop: Loop) -> None:
        """From now on each pass of ``loop``, told as an event "chosen", is a step."""
        self.kind, self.loop = "chosen", loop

    def describe(self) -> str:
        """How steps were found, as a sentence for the report."""
        if self.kind is None:
            return "no step was found"
        if self.kind == "framework" and self._engine is not None:
            return self._engine.steps
        words = _WORDS[self.kind]
        if self.kind == "chosen" and self.loop is not None:
            return f"{words} at line {self.loop.line} of {self.loop.file}"
        if self.loop is None:
            return f"{words} (no loop of the user's own around them)"
        return f"{words} in the loop at line {self.loop.line} of {self.loop.file}"

    def engine_begins(self, engine: Engine) -> None:
        """A framework's training loop starts; ``engine_ends`` follows in any case."""
        self._engines.append(engine)

    def engine_ends(self) -> None:
        """The training loop that began last has ended."""
        self._engines.pop()

    def event(self, kind: str, frame: FrameType | None) -> None:
        """Something that may end a step has just happened in ``frame``."""
        self.counts[kind] += 1
        if self.kind == "chosen":
            if kind == "chosen":
                self._on_tick()
            return
        if kind == "framework":
            self._framework_event(frame)
        elif kind == "explicit" or not self._engine_reports():
            self._own_event(kind, frame)
        elif kind == "optimizer" and self._running().counts:
            self._updates += 1

    def _engine_reports(self) -> bool:
        """Whether a framework's loop runs that will say, or has said, where its steps end."""
        silent = not self.counts["framework"] and self._updates >= _EVENTS_WITHOUT_STEP
        return bool(self._engines) and not silent

    def _running(self) -> Engine:
        """The framework's loop that runs now; one that tries something out hides those inside."""
        return next((each for each in self._engines if not each.counts), self._engines[-1])

    def _framework_event(self, frame: FrameType | None) -> None:
        if not self._engines or self.kind == "explicit":
            return
        engine = self._running()
        by_hand = not self._updates and self.counts["framework"] > _EVENTS_WITHOUT_STEP
        ends_step = engine.updates or by_hand or self._updates > self._updates_counted
        if not ends_step or not engine.counts:
            return
        if self.kind == "optimizer" and self._in_loop(self._site(frame)):
            return  # the user's own training loop calls the framework for something else
        self._updates_counted = self._updates
        if self.kind != "framework":
            self._count_by("framework")
        self._engine = engine
        self._on_tick()

    def _own_event(self, kind: str, frame: FrameType | None) -> None:
        if self.kind == "framework" and kind == "optimizer":
            self._leave_framework(self._site(frame))
            return
        if self.kind is not None and _RANKS[kind] < _RANKS[self.kind]:
            if kind == "backward":
                self._backward = self._site(frame)
            return
        site = self._site(frame)
        if self.kind != kind and not self._promote(kind, site):
            return
        self._seen += 1
        previous, self._last = self._last, site
        backward, self._backward = self._backward, None
        if kind == "explicit":
            self.loop = self.loop or common_loop(site, previous)
            self._on_tick()
            return
        if kind == "module":
            self._look_further_in(site, previous)
        if not self._in_loop(site):
            if self._settled:
                return
            partner = backward if kind == "optimizer" and backward else previous
            found = common_loop(site, partner)
            if found is not None and self._move(found, site, partner):
                previous = None
        if previous is None or self._is_new_pass(site, previous, backward):
            self._on_tick()

    def _move(self, loop: Loop, site: Site, partner: Site | None) -> bool:
        """Count the passes of another loop. Returns whether what was counted before is void."""
        before, self.loop = self.loop, loop
        # Back in a loop that was left for another: they take turns, and this one is ours.
        self._settled = self._settled or loop in self._left
        here, there = position(site, loop), partner and position(partner, loop)
        self._once = here.inner if here and there and here.key == there.key else None
        if before is not None:
            self._left.add(before)
        elif self._seen <= 2:
            return False  # the first event of all lay in this loop too
        self._on_change()
        return True

    def _look_further_in(self, site: Site, previous: Site | None) -> None:
        """Where a model is called again and again in a loop of its own, a step is one call.

        A prompt is read before its tokens are generated, so both are in the loop over the prompts.
        """
        inner = common_loop(site, previous)
        is_further_in = self._in_loop(site) and inner is not None and inner != self.loop
        self._calls_inside = self._calls_inside + 1 if is_further_in else 0
        if inner is not None and self._calls_inside >= _CALLS_INSIDE:
            self._move(inner, site, previous)
            self._settled = True

    def _promote(self, kind: str, site: Site) -> bool:
        """Whether events of ``kind`` are what steps are counted by, from now on."""
        waiting = False
        if kind == "backward":
            waiting = (self._expects("optimizer") or self._expects("framework")) and self.counts[
                "backward"
            ] < _EVENTS_WITHOUT_STEP
            self._backward = site
        elif kind == "module":
            waiting = any(map(self._expects, ("framework", "optimizer", "backward")))
        if waiting:
            return False
        self._count_by(kind)
        return True

    def _count_by(self, kind: str, loop: Loop | None = None) -> None:
        self.kind = kind
        self.loop = loop
        self._last = self._once = None
        self._seen = self._calls_inside = 0
        self._left.clear()
        self._settled = False
        self._on_change()

    def _leave_framework(self, site: Site) -> None:
        """After a framework's loop the user's own one, if this optimizer step lies in one."""
        loop = common_loop(site, self._backward or self._last)
        self._last = site
        if loop is not None:
            self._count_by("optimizer", loop)
            self._last = site
            self._on_tick()

    def _in_loop(self, site: Site) -> bool:
        return position(site, self.loop) is not None

    def _is_new_pass(self, site: Site, previous: Site, backward: Site | None) -> bool:
        here, before = position(site, self.loop), position(previous, self.loop)
        if here is None or before is None or here.frame != before.frame:
            return True
        if here.key < before.key or self._went_back(backward, before):
            return True
        if here.key > before.key:
            return False
        if here.inner is None or here.inner == self._once:
            return True
        # The same place inside a loop of the pass: a new pass only if a backward ran outside it.
        return backward is not None and all(loop != here.inner for _, loop in backward.loops)

    def _went_back(self, backward: Site | None, before: Position) -> bool:
        """Whether a backward pass ran at an earlier place of the loop than the last event."""
        at = None if backward is None else position(backward, self.loop)
        if at is None or (at.inner is not None and at.inner == before.inner):
            return False
        return at.key < before.key
