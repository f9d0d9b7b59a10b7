"""The host ledger: wall time of the step's thread, by the line that was running."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from stepscope.attribution.intervals import Interval, clipped
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Fetches, Place, Recording, Track

_FEW_EVENTS = 0.05  # of the step
_LEAST_LEFT = 1 / 3  # no traced code was seen to take more than three times as long


@dataclass(slots=True)
class HostLedger:
    """Nanoseconds per step by place (``NOWHERE`` included), without what the line clock cost.

    They sum to ``step_ns``.
    """

    step_ns: float
    by_place: dict[int, float] = field(default_factory=dict)
    calls: dict[int, float] = field(default_factory=dict)
    data_wait: dict[int, float] = field(default_factory=dict)  # part of by_place


def host_ledger(
    recording: Recording,
    places: list[Place],
    fetches: Fetches,
    thread: int,
    clean_ns: float | None = None,
) -> HostLedger:
    """Average the ordinary steps of a recording that has a line clock.

    ``clean_ns`` is the length of a step without the clock, where known.
    """
    steps = ordinary_steps(recording.bounds)
    silent = max(recording.bounded.values(), default=0)
    undisturbed = [step for step in steps if step[0] >= silent]
    if len(undisturbed) >= 2:  # the clock's events are subtracted best where there are few
        steps = undisturbed
    track = recording.tracks.get(thread, Track())
    event_ns = _event_cost(recording, track, steps, clean_ns)
    spent: dict[int, float] = defaultdict(float)
    waited: dict[int, float] = defaultdict(float)
    waits = thread_fetches(fetches, thread)
    for begin, end in steps:
        add_net(event_ns, track, begin, end, spent)
        for first, last in clipped(waits, begin, end):
            add_net(event_ns, track, first, last, waited)
    calls: dict[int, int] = defaultdict(int)
    if steps:
        edges = iter(steps)
        begin, end = next(edges)
        for time, place in track.entries:
            while time >= end:
                following = next(edges, None)
                if following is None:
                    break
                begin, end = following
            if begin <= time < end:
                calls[place] += 1
    count = max(1, len(steps))
    told = {place: max(0.0, ns) for place, ns in spent.items()}
    if recording.bounded and clean_ns is not None:
        _slowed_down(recording, places, told, sum(told.values()) - clean_ns * count)
    told = _told_apart(recording, places, track, told)
    return HostLedger(
        sum(told.values()) / count,
        {place: ns / count for place, ns in told.items()},
        {place: number / count for place, number in calls.items()},
        {place: max(0.0, ns) / count for place, ns in waited.items()},
    )


def _event_cost(
    recording: Recording, track: Track, steps: list[Interval], clean_ns: float | None
) -> float:
    """What one event of the clock cost the target, ns.

    The agent's estimate from a small loop will do where events are few. Where they are a good part
    of the step, what the step itself grew by says it better, within bounds: the machine may have
    slowed down meanwhile.
    """
    estimate = recording.event_ns
    if clean_ns is None or not steps:
        return estimate
    events = sum(
        sum(track.events[track.at(low - 1) + 1 : track.at(high - 1) + 1]) for low, high in steps
    )
    per_step = events / len(steps)
    if per_step * estimate < _FEW_EVENTS * clean_ns:
        return estimate
    measured = statistics.median(high - low for low, high in steps)
    return min(max((measured - clean_ns) / per_step, estimate / 2), estimate * 2)


def add_net(event_ns: float, track: Track, begin: int, end: int, into: dict[int, float]) -> None:
    """Add each line's ns between ``begin`` and ``end``, less what the clock itself cost it."""
    starts, places, events = track.starts, track.places, track.events
    index, here, count = track.at(begin), begin, len(track.starts)
    while here < end:
        place = places[index] if index >= 0 else NOWHERE
        stop = min(starts[index + 1], end) if index + 1 < count else end
        if stop > here:
            cost = events[index] * event_ns if index >= 0 else 0.0
            into[place] += stop - here - cost
            here = stop
        index += 1


def _slowed_down(
    recording: Recording, places: list[Place], spent: dict[int, float], growth: float
) -> None:
    """Take ``growth`` ns off the code that outran the clock, within bounds.

    ``sys.settrace`` slows such code down at every instruction, lines reported or not.
    """
    own = [n for n, p in enumerate(places) if (p.file, p.function) in recording.bounded]
    total = sum(spent.get(place, 0.0) for place in own)
    if growth > 0 and total > 0:
        left = max(1 - growth / total, _LEAST_LEFT)
        for place in own:
            spent[place] = spent.get(place, 0.0) * left


def _told_apart(
    recording: Recording, places: list[Place], track: Track, spent: dict[int, float]
) -> dict[int, float]:
    """Split the time of code that became too fast for the clock as it was split before."""
    result = dict(spent)
    for (file, function), since in recording.bounded.items():
        own = {n for n, p in enumerate(places) if p.file == file and p.function == function}
        before: dict[int, int] = defaultdict(int)
        for place, start, stop in segments(track, track.starts[0], since):
            if place in own:
                before[place] += stop - start
        known = sum(before.values())
        if not known:
            continue
        total = sum(result.pop(place, 0) for place in own)
        for place, ns in before.items():
            result[place] = total * ns / known
    return result


def segments(track: Track, begin: int, end: int) -> Iterable[tuple[int, int, int]]:
    """(place, start, end) of what ran between ``begin`` and ``end``, without gaps."""
    index = track.at(begin)
    starts, places = track.starts, track.places
    here = begin
    count = len(starts)
    while here < end:
        place = places[index] if index >= 0 else NOWHERE
        following = starts[index + 1] if index + 1 < count else end
        stop = min(following, end)
        if stop > here:
            yield place, here, stop
        here = max(here, stop)
        index += 1


def thread_fetches(fetches: Fetches, thread: int) -> list[tuple[int, int]]:
    """(start, end) of the thread's loader calls, in time order."""
    return sorted(
        (start, end)
        for start, end, owner in zip(fetches.start, fetches.end, fetches.thread, strict=True)
        if owner == thread
    )
