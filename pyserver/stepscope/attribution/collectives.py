"""The collectives of one rank: when each began, how long it took, and what the rank did before it.

With an accelerator a collective is its kernel: it begins when this rank has come, and ends when all
have. Without one it is the operator.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from stepscope.attribution.host import segments
from stepscope.attribution.launches import Launches
from stepscope.attribution.model import LineKey
from stepscope.attribution.owners import Owned
from stepscope.timeline.communication import is_collective, is_collective_kernel
from stepscope.timeline.model import NOWHERE, Ops, Recording, Timeline, Track

_MOST_PLACES = 6

Doing = tuple[LineKey | None, str]
"""(line, function) of the user's code, else (None, operator)."""


@dataclass(frozen=True, slots=True)
class Call:
    """One collective.

    ``step`` is the step's number in the run, ``number`` counts those of the same name in it.
    ``before`` is host time (ns) since the collective before it, by what ran.
    """

    step: int
    name: str
    number: int
    ns: int
    before: tuple[tuple[Doing, int], ...]


def collective_calls(timeline: Timeline, recording: Recording, owned: Owned) -> list[Call]:
    """Every collective of the recorded steps, in the order in which they were issued."""
    found = sorted(_on_device(timeline, recording, owned)) or sorted(
        _on_host(timeline, recording, owned)
    )
    bounds = recording.bounds
    first = timeline.facts.get("first_step") or 0
    counts: Counter[tuple[int, str]] = Counter()
    doing = _Doings(timeline, recording, owned)
    calls = []
    since = bounds[0]
    for issued, name, ns in found:
        step = bisect_right(bounds, issued) - 1
        if not 0 <= step < len(bounds) - 1:
            continue
        key = (first + step, name)
        calls.append(Call(*key, counts[key], ns, doing.between(since, issued)))
        counts[key] += 1
        since = max(since, issued)
    return calls


def _on_device(
    timeline: Timeline, recording: Recording, owned: Owned
) -> Iterator[tuple[int, str, int]]:
    ops, strings = recording.ops, timeline.strings
    assert ops is not None
    kernel = timeline.kinds.index("kernel")
    collective = [is_collective_kernel(text) for text in strings]
    rows = [i for i in range(len(ops)) if ops.kind[i] == kernel and collective[ops.name[i]]]
    if not rows:
        return
    launches = Launches(timeline, recording, owned)
    for i in rows:
        call, op = launches.call(i), launches.operator(i)
        if call < 0:
            continue  # issued before the recording
        name = strings[ops.name[op if op >= 0 else i]]
        yield ops.start[call], name, ops.duration[i]


def _on_host(
    timeline: Timeline, recording: Recording, owned: Owned
) -> Iterator[tuple[int, str, int]]:
    ops, strings = recording.ops, timeline.strings
    assert ops is not None
    collective = [is_collective(text) for text in strings]
    for i in owned.order:
        above = owned.parent[i]
        if collective[ops.name[i]] and not (above >= 0 and collective[ops.name[above]]):
            yield ops.start[i], strings[ops.name[i]], ops.duration[i]


class _Doings:
    """What the step's thread did: user lines where they are known, else its outermost operators."""

    def __init__(self, timeline: Timeline, recording: Recording, owned: Owned) -> None:
        self._timeline = timeline
        self._track = recording.tracks.get(timeline.step_thread, Track())
        self._operators: list[tuple[int, int, str]] = []
        if not self._track.starts:
            ops = recording.ops
            assert ops is not None
            self._operators = list(_outermost(timeline, ops, owned))
        self._begins = [begin for begin, _, _ in self._operators]

    def between(self, begin: int, end: int) -> tuple[tuple[Doing, int], ...]:
        """Time by what ran, most first."""
        spent: dict[Doing, int] = defaultdict(int)
        if self._track.starts:
            for place, start, stop in segments(self._track, begin, end):
                if place != NOWHERE:
                    where = self._timeline.places[place]
                    spent[((where.file, where.line), where.function)] += stop - start
        else:
            first = max(0, bisect_right(self._begins, begin) - 1)
            for start, stop, name in self._operators[first:]:
                if start >= end:
                    break
                inside = min(stop, end) - max(start, begin)
                if inside > 0:
                    spent[(None, name)] += inside
        return tuple(Counter(spent).most_common(_MOST_PLACES))


def _outermost(timeline: Timeline, ops: Ops, owned: Owned) -> Iterator[tuple[int, int, str]]:
    for i in owned.order:
        if owned.parent[i] < 0 and ops.native[i] == timeline.step_thread:
            yield ops.start[i], ops.start[i] + ops.duration[i], timeline.strings[ops.name[i]]
