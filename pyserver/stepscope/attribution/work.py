"""The step's thread, moment by moment: in which operator, under which line, or in plain Python."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from stepscope.attribution.host import segments
from stepscope.attribution.owners import Owned
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Ops, Recording, Timeline, Track

OpKey = tuple[int, int, bool]
"""(owner place, name, backward)."""


@dataclass(slots=True)
class Sweep:
    """Nanoseconds over ``steps`` ordinary steps.

    ``in_ops[(executing place, op key)]`` and ``in_python[place]`` together are every moment of the
    step's thread. ``elsewhere[op key]`` is operator time on other threads. ``counts`` are
    operators.
    """

    steps: int
    span_ns: int
    in_ops: dict[tuple[int, OpKey], int] = field(default_factory=lambda: defaultdict(int))
    in_python: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    elsewhere: dict[OpKey, int] = field(default_factory=lambda: defaultdict(int))
    counts: dict[OpKey, int] = field(default_factory=lambda: defaultdict(int))
    loop_ns: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    again_ns: int = 0  # operator time, of all threads, that repeats a part of the forward pass


def sweep(timeline: Timeline, recording: Recording, owned: Owned) -> Sweep:
    """Divide the recording's ordinary steps among operators and lines."""
    ops = recording.ops
    assert ops is not None
    steps = ordinary_steps(recording.bounds)
    result = Sweep(len(steps), sum(end - begin for begin, end in steps))
    track = recording.tracks.get(timeline.step_thread, Track())
    pieces = _self_intervals(ops, owned, timeline.step_thread)
    keys = list(zip(owned.owner, ops.name, owned.backward, strict=True))
    position = 0
    for begin, end in steps:
        position = _sweep_step(ops, owned, keys, track, pieces, position, begin, end, result)
    _count(ops, owned, steps, timeline.step_thread, result)
    return result


def _self_intervals(ops: Ops, owned: Owned, thread: int) -> list[tuple[int, int, int]]:
    """(start, end, operator) of the innermost operator at each moment of the thread, in order."""
    pieces: list[tuple[int, int, int]] = []
    stack: list[tuple[int, int]] = []  # (end, operator)
    here = 0
    add = pieces.append
    native = ops.native
    mine = [i for i in owned.order if native[i] == thread]
    for i, begin, length in zip(
        mine, map(ops.start.__getitem__, mine), map(ops.duration.__getitem__, mine), strict=True
    ):
        while stack and stack[-1][0] <= begin:
            end, done = stack.pop()
            if end > here:
                add((here, end, done))
                here = end
        if begin > here:
            if stack:
                add((here, begin, stack[-1][1]))
            here = begin
        stack.append((begin + length, i))
    while stack:
        end, done = stack.pop()
        if end > here:
            pieces.append((here, end, done))
            here = end
    return pieces


def _sweep_step(
    ops: Ops,
    owned: Owned,
    keys: list[OpKey],
    track: Track,
    pieces: list[tuple[int, int, int]],
    position: int,
    begin: int,
    end: int,
    result: Sweep,
) -> int:
    in_ops, in_python, loop_ns = result.in_ops, result.in_python, result.loop_ns
    place_of, loop_of, names, backward_of = owned.place, owned.loop, ops.name, owned.backward
    count = len(pieces)
    while position < count and pieces[position][1] <= begin:
        position += 1
    here = position
    for place, start, stop in segments(track, begin, end):
        now = start
        while now < stop:
            while here < count and pieces[here][1] <= now:
                here += 1
            if here >= count or pieces[here][0] >= stop:
                in_python[place] += stop - now
                break
            first, last, op = pieces[here]
            if first > now:
                in_python[place] += first - now
                now = first
            until = last if last < stop else stop
            ran_at = place_of[op]
            if place != ran_at and ran_at != NOWHERE and place != NOWHERE:
                # User code that an operator called (a custom Function, a hook) is Python again.
                in_python[place] += until - now
            else:
                in_ops[(place, keys[op])] += until - now
                if not backward_of[op]:
                    loop_ns[(loop_of[op], names[op])] += until - now
            now = until
    return here


def _count(
    ops: Ops,
    owned: Owned,
    steps: list[tuple[int, int]],
    thread: int,
    result: Sweep,
) -> None:
    """Operators per key, and the self time of those on other threads."""
    edge = iter(steps)
    current = next(edge, None)
    for i in owned.order:
        begin = ops.start[i]
        while current is not None and begin >= current[1]:
            current = next(edge, None)
        if current is None:
            return
        if begin < current[0]:
            continue
        key = (owned.owner[i], ops.name[i], owned.backward[i])
        result.counts[key] += 1
        if owned.again[i]:
            result.again_ns += max(0, owned.self_time[i])
        if ops.native[i] != thread:
            result.elsewhere[key] += max(0, owned.self_time[i])
