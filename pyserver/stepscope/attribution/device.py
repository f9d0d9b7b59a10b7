"""The device ledger: busy time by the launching line, idle time by the line the host was on.

A kernel, copy or memset belongs to the operator whose correlation it carries (else to the runtime
call with its own correlation, else to the line that made the call). Busy time is a union over
streams: a moment at which several kernels run belongs to the one that started first. A host call
that blocks is the line that *waits*; the device's time stays with the line that *launched*.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from stepscope.attribution.host import clipped, segments, thread_fetches
from stepscope.attribution.owners import Owned
from stepscope.attribution.work import OpKey
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Ops, Recording, Timeline, Track

_BLOCKING = ("Synchronize", "StreamWaitEvent")
_COMMUNICATION = ("nccl", "rccl", "gloo", "mscclKernel")


@dataclass(slots=True)
class DeviceLedger:
    """Nanoseconds over ``steps`` steps.

    ``busy[op key]`` sums to ``busy_ns``, the union over streams; ``idle[place]`` and ``idle_kind``
    to ``idle_ns``. ``kind_ns`` is busy time as "kernel", "memcpy", "memset" or "communication".
    ``sync_wait`` and ``copy_wait`` are host time by place; ``sync_calls`` names what blocked.
    """

    steps: int
    busy_ns: int = 0
    idle_ns: int = 0
    busy: dict[OpKey, int] = field(default_factory=lambda: defaultdict(int))
    kinds: dict[tuple[OpKey, str], int] = field(default_factory=lambda: defaultdict(int))
    launches: dict[OpKey, int] = field(default_factory=lambda: defaultdict(int))
    idle: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    idle_kind: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    sync_wait: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    copy_wait: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    sync_calls: dict[int, dict[str, int]] = field(default_factory=dict)


@dataclass(slots=True)
class _Activity:
    start: int
    end: int
    key: OpKey
    kind: str


def device_ledger(timeline: Timeline, recording: Recording, owned: Owned) -> DeviceLedger:
    """Busy and idle time of the device over the recording's ordinary steps."""
    ops = recording.ops
    assert ops is not None
    steps = ordinary_steps(recording.bounds)
    ledger = DeviceLedger(len(steps))
    kinds = {name: timeline.kinds.index(name) for name in timeline.kinds}
    track = recording.tracks.get(timeline.step_thread, Track())
    launched_by = _launches(ops, owned, track, kinds)
    activities = _activities(timeline, ops, launched_by, steps, kinds)
    for activity in activities:
        ledger.launches[activity.key] += 1
    busy = _union(activities, ledger)
    waits = _waits(timeline, ops, owned, track, steps, kinds, ledger)
    _idle(timeline, busy, track, waits, ledger)
    return ledger


def _launches(
    ops: Ops, owned: Owned, track: Track, kinds: dict[str, int]
) -> dict[int, tuple[int, OpKey, int]]:
    """Device event -> (launch time, op key, operator or -1)."""
    by_correlation = {ops.correlation[i]: i for i in owned.order}
    runtime: dict[int, int] = {}
    for i in range(len(ops)):
        if ops.kind[i] == kinds["runtime"]:
            runtime[ops.correlation[i]] = i
    found: dict[int, tuple[int, OpKey, int]] = {}
    device_kinds = (kinds["kernel"], kinds["memcpy"], kinds["memset"])
    for i in range(len(ops)):
        if ops.kind[i] not in device_kinds:
            continue
        call = runtime.get(ops.correlation[i], -1)
        linked = ops.linked[i] or (ops.linked[call] if call >= 0 else 0)
        op = by_correlation.get(linked, -1) if linked else -1
        if op >= 0:
            key = (owned.owner[op], ops.name[op], owned.backward[op])
            launch = ops.start[call] if call >= 0 else ops.start[op]
        else:
            launch = ops.start[call] if call >= 0 else ops.start[i]
            segment = track.at(launch) if call >= 0 else -1
            place = track.places[segment] if segment >= 0 else NOWHERE
            key = (place, ops.name[i], False)
        found[i] = (launch, key, op)
    return found


def _activities(
    timeline: Timeline,
    ops: Ops,
    launched_by: dict[int, tuple[int, OpKey, int]],
    steps: list[tuple[int, int]],
    kinds: dict[str, int],
) -> list[_Activity]:
    """Device work that was launched inside the steps, by start."""
    words = {kinds["kernel"]: "kernel", kinds["memcpy"]: "memcpy", kinds["memset"]: "memset"}
    chosen = []
    for i, (launch, key, _) in launched_by.items():
        if not any(begin <= launch < end for begin, end in steps):
            continue
        kind = words[ops.kind[i]]
        if kind == "kernel" and timeline.strings[ops.name[i]].startswith(_COMMUNICATION):
            kind = "communication"
        chosen.append(_Activity(ops.start[i], ops.start[i] + ops.duration[i], key, kind))
    chosen.sort(key=lambda activity: (activity.start, activity.end))
    return chosen


def _union(activities: list[_Activity], ledger: DeviceLedger) -> list[tuple[int, int]]:
    """Charge each busy moment to the activity that started first; returns the busy intervals.

    Computation hides communication: a moment that both occupy belongs to the computation.
    """
    computing = [a for a in activities if a.kind != "communication"]
    exposed = [a for a in activities if a.kind == "communication"]
    covered: list[tuple[int, int]] = []
    for group in (computing, exposed):
        until = 0
        for activity in group:
            for start, end in _uncovered(max(activity.start, until), activity.end, covered):
                ledger.busy[activity.key] += end - start
                ledger.kinds[(activity.key, activity.kind)] += end - start
                ledger.busy_ns += end - start
            until = max(until, activity.end)
        covered = _merge([(a.start, a.end) for a in group]) if group is computing else covered
    return _merge([(a.start, a.end) for a in activities])


def _merge(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _uncovered(start: int, end: int, covered: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of [start, end) outside ordered, disjoint ``covered``."""
    if start >= end:
        return []
    left = []
    here = start
    for low, high in clipped(covered, start, end):
        if low > here:
            left.append((here, low))
        here = max(here, high)
    if here < end:
        left.append((here, end))
    return left


def _waits(
    timeline: Timeline,
    ops: Ops,
    owned: Owned,
    track: Track,
    steps: list[tuple[int, int]],
    kinds: dict[str, int],
    ledger: DeviceLedger,
) -> list[tuple[int, int]]:
    """Host calls of the step's thread that block, charged to the line that makes them."""
    by_correlation = {ops.correlation[i]: i for i in owned.order}
    blocked: list[tuple[int, int]] = []
    for i in range(len(ops)):
        if ops.kind[i] != kinds["runtime"] or ops.native[i] != timeline.step_thread:
            continue
        name = timeline.strings[ops.name[i]]
        syncs = name.endswith(_BLOCKING[0])
        copies = "Memcpy" in name
        if not syncs and not copies:
            continue
        begin, end = ops.start[i], ops.start[i] + ops.duration[i]
        if not any(low <= begin < high for low, high in steps):
            continue
        table = ledger.sync_wait if syncs else ledger.copy_wait
        for place, start, stop in segments(track, begin, end):
            table[place] += stop - start
        if syncs:
            blocked.append((begin, end))
            cause = by_correlation.get(ops.linked[i], -1)
            while cause >= 0 and owned.parent[cause] >= 0:
                cause = owned.parent[cause]
            segment = track.at(begin)
            place = track.places[segment] if segment >= 0 else NOWHERE
            word = timeline.strings[ops.name[cause]] if cause >= 0 else name
            calls = ledger.sync_calls.setdefault(place, {})
            calls[word] = calls.get(word, 0) + 1
    return _merge(blocked)


def _idle(
    timeline: Timeline,
    busy: list[tuple[int, int]],
    track: Track,
    blocked: list[tuple[int, int]],
    ledger: DeviceLedger,
) -> None:
    """Gaps between device work, by what the host did in them and on which line."""
    data = thread_fetches(timeline.fetches, timeline.step_thread)
    for (_, begin), (end, _) in pairwise(busy):
        if end <= begin:
            continue
        ledger.idle_ns += end - begin
        for place, start, stop in segments(track, begin, end):
            ledger.idle[place] += stop - start
        waiting = sum(stop - start for start, stop in clipped(data, begin, end))
        syncing = sum(stop - start for start, stop in clipped(blocked, begin, end))
        ledger.idle_kind["data"] += waiting
        ledger.idle_kind["sync"] += syncing
        ledger.idle_kind["overhead"] += max(0, end - begin - waiting - syncing)
