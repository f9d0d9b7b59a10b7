"""The device ledger: busy time by the line that launched it, idle time by the host's line.

A kernel, copy or memset belongs to the operator whose correlation it carries (else to the runtime
call with its own correlation, else to the line that made the call). Busy time is a union over the
streams of a device: a moment at which several kernels run belongs to the one that started first,
and computation hides communication. A moment at which several devices are busy is shared equally
among them, so that busy and idle time add up to the step however many there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from stepscope.attribution.device_waits import Waits, device_waits
from stepscope.attribution.host import segments, thread_fetches
from stepscope.attribution.intervals import clipped, merged, overlap, uncovered
from stepscope.attribution.launches import ON_DEVICE, Launches
from stepscope.attribution.owners import Owned
from stepscope.attribution.work import OpKey
from stepscope.timeline.communication import is_collective_kernel
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Ops, Recording, Timeline, Track


@dataclass(slots=True)
class DeviceLedger:
    """Nanoseconds over ``steps`` steps.

    ``busy[op key]`` sums to ``busy_ns``, the union over streams; ``idle[place]`` and ``idle_kind``
    to ``idle_ns``. ``kinds`` is busy time as "kernel", "memcpy", "memset" or "communication".
    ``again`` is the part of it that does forward work a second time. ``waits`` is host time.
    """

    steps: int
    busy_ns: float = 0.0
    launched_ns: float = 0.0  # what the steps launched, whenever it ran; else busy_ns
    communication_ns: int = 0  # of collectives inside the steps, alone or not
    hidden_ns: int = 0  # part of it during which the same device computed
    again: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    idle_ns: int = 0
    busy: dict[OpKey, float] = field(default_factory=lambda: defaultdict(float))
    kinds: dict[tuple[OpKey, str], float] = field(default_factory=lambda: defaultdict(float))
    launches: dict[OpKey, int] = field(default_factory=lambda: defaultdict(int))
    idle: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    idle_kind: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    waits: Waits = field(default_factory=Waits)


@dataclass(slots=True)
class _Activity:
    """Device work. ``key`` None: launched outside the steps, so it is busy time of nobody."""

    start: int
    end: int
    device: int
    key: OpKey | None
    kind: str
    name: int
    again: bool


def device_ledger(timeline: Timeline, recording: Recording, owned: Owned) -> DeviceLedger:
    """Busy and idle time of the devices over the recording's ordinary steps."""
    ops = recording.ops
    assert ops is not None
    steps = ordinary_steps(recording.bounds)
    ledger = DeviceLedger(len(steps))
    activities = _activities(timeline, recording, ops, owned, steps)
    devices: dict[int, list[_Activity]] = defaultdict(list)
    for activity in activities:
        devices[activity.device].append(activity)
        if activity.key is not None:
            ledger.launches[activity.key] += 1
    pieces = [_first_started(mine) for mine in devices.values()]
    _charge(ledger, _shared(pieces))
    ledger.launched_ns = ledger.busy_ns
    if recording.from_trace:
        _fit(ledger, _shared([list(_inside(steps, mine)) for mine in pieces]))
    for mine in devices.values():
        _overlap(ledger, mine, steps)
    ledger.waits = device_waits(timeline, recording, owned, steps)
    busy = merged([(activity.start, activity.end) for activity in activities])
    _idle(timeline, recording, busy, steps, ledger)
    return ledger


def _overlap(
    ledger: DeviceLedger, activities: list[_Activity], steps: list[tuple[int, int]]
) -> None:
    """How long a device communicated inside the steps, and computed meanwhile."""
    collectives = merged([(a.start, a.end) for a in activities if a.kind == "communication"])
    if not collectives:
        return
    inside = [part for low, high in steps for part in clipped(collectives, low, high)]
    kernels = merged([(a.start, a.end) for a in activities if a.kind == "kernel"])
    ledger.communication_ns += sum(end - start for start, end in inside)
    ledger.hidden_ns += overlap(inside, kernels)


def _charge(ledger: DeviceLedger, shares: Iterator[tuple[_Activity, float]]) -> None:
    for piece, share in shares:
        if piece.key is not None:
            ledger.busy[piece.key] += share
            ledger.kinds[(piece.key, piece.kind)] += share
            ledger.busy_ns += share
            if piece.again:
                ledger.again[piece.kind] += share


def _fit(ledger: DeviceLedger, inside: Iterator[tuple[_Activity, float]]) -> None:
    """Scale what the steps launched to what ran inside them, computation and the rest apart.

    A trace begins and ends in the middle of a stream of steps that nobody synchronised: what runs
    inside the first step was launched before it, often before the recording, and what the last ones
    launch runs after them, or is cut off. How long the device is busy in a step is read off the
    steps' own time; whose work it is, off what they launched.
    """
    ran: dict[str, float] = defaultdict(float)
    nobody: dict[tuple[OpKey, str], float] = defaultdict(float)
    for piece, share in inside:
        ran[piece.kind] += share
        nobody[((NOWHERE, piece.name, False), piece.kind)] += share
    launched: dict[str, float] = defaultdict(float)
    for (_, kind), share in ledger.kinds.items():
        launched[kind] += share
    kinds = {
        (key, kind): share * ran[kind] / launched[kind]
        for (key, kind), share in ledger.kinds.items()
        if launched[kind]
    }
    for (key, kind), share in nobody.items():
        if not launched[kind]:
            kinds[(key, kind)] = kinds.get((key, kind), 0.0) + share
    ledger.kinds = defaultdict(float, kinds)
    ledger.busy = defaultdict(float)
    for (key, _), share in kinds.items():
        ledger.busy[key] += share
    ledger.busy_ns = sum(kinds.values())
    for kind, share in ledger.again.items():
        ledger.again[kind] = share * ran[kind] / launched[kind]


def whole_recording(recording: Recording) -> tuple[float, float | None]:
    """Length of a recording from its first event to its last, and how long its devices were busy.

    Both in ms, steps or not; the second is a union over the streams of each device, None without
    device work.
    """
    ops = recording.ops
    assert ops is not None
    devices: dict[int, list[tuple[int, int]]] = defaultdict(list)
    last = 0
    for start, ns, device in zip(ops.start, ops.duration, ops.device, strict=True):
        last = max(last, start + ns)
        if device >= 0:
            devices[device].append((start, start + ns))
    span = (last - min(ops.start)) / 1e6
    busy = sum(end - start for mine in devices.values() for start, end in merged(mine)) / 1e6
    return span, busy if devices else None


def _activities(
    timeline: Timeline,
    recording: Recording,
    ops: Ops,
    owned: Owned,
    steps: list[tuple[int, int]],
) -> list[_Activity]:
    """All device work by start, with the operator that each piece was launched for."""
    kinds = timeline.kinds
    words = {kinds.index(word): word for word in ON_DEVICE}
    launches = Launches(timeline, recording, owned)
    step_track = recording.tracks.get(timeline.step_thread, Track())
    begins = [begin for begin, _ in steps]
    found = []
    for i in range(len(ops)):
        kind = words.get(ops.kind[i])
        if kind is None:
            continue
        call, op = launches.call(i), launches.operator(i)
        launch = ops.start[call] if call >= 0 else ops.start[op if op >= 0 else i]
        if op >= 0:
            key = (owned.owner[op], ops.name[op], owned.backward[op])
        else:
            # A kernel without an operator: the line of the thread that launched it.
            place = NOWHERE
            if call >= 0:
                place = recording.tracks.get(ops.native[call], step_track).place_at(launch)
            key = (place, ops.name[i], False)
        if kind == "kernel" and is_collective_kernel(timeline.strings[ops.name[i]]):
            kind = "communication"
        step = bisect_right(begins, launch) - 1
        counts = step >= 0 and launch < steps[step][1]
        if recording.from_trace and call < 0 and op < 0:
            counts = False  # launched before the recording began
        start = ops.start[i]
        found.append(
            _Activity(
                start,
                start + ops.duration[i],
                ops.device[i],
                key if counts else None,
                kind,
                ops.name[i],
                op >= 0 and bool(owned.again[op]),
            )
        )
    found.sort(key=lambda activity: (activity.start, activity.end))
    return found


def _first_started(activities: list[_Activity]) -> list[_Activity]:
    """Disjoint pieces of one device's busy time, by start, each with its one owner."""
    computing = [a for a in activities if a.kind != "communication"]
    pieces = list(_disjoint(computing, []))
    if len(computing) < len(activities):
        covered = merged([(a.start, a.end) for a in computing])
        pieces += _disjoint([a for a in activities if a.kind == "communication"], covered)
        pieces.sort(key=lambda piece: piece.start)
    return pieces


def _disjoint(activities: list[_Activity], covered: list[tuple[int, int]]) -> Iterator[_Activity]:
    until = 0
    for a in activities:
        if not covered and until <= a.start < a.end:
            yield a
            until = a.end
            continue
        for start, end in uncovered(max(a.start, until), a.end, covered):
            yield _Activity(start, end, a.device, a.key, a.kind, a.name, a.again)
        until = max(until, a.end)


def _inside(steps: list[tuple[int, int]], pieces: list[_Activity]) -> Iterator[_Activity]:
    """The parts of disjoint, ordered pieces that lie within ordered, disjoint steps."""
    begins = [begin for begin, _ in steps]
    for piece in pieces:
        step = bisect_right(begins, piece.start) - 1
        if step >= 0 and piece.end <= steps[step][1]:
            yield piece
            continue
        for start, end in clipped(steps, piece.start, piece.end):
            yield _Activity(
                start, end, piece.device, piece.key, piece.kind, piece.name, piece.again
            )


def _shared(devices: list[list[_Activity]]) -> Iterator[tuple[_Activity, float]]:
    """(piece, its ns): moments at which several devices are busy are divided among them."""
    if len(devices) == 1:
        for piece in devices[0]:
            yield piece, float(piece.end - piece.start)
        return
    edges = []
    for number, pieces in enumerate(devices):
        for piece in pieces:
            edges += [(piece.start, 1, number, piece), (piece.end, 0, number, piece)]
    edges.sort(key=lambda edge: edge[:2])  # ends before beginnings
    running: dict[int, _Activity] = {}
    here = 0
    for time, begins, number, piece in edges:
        if time > here:
            for active in running.values():
                yield active, (time - here) / len(running)
            here = time
        if begins:
            running[number] = piece
        else:
            del running[number]


def _idle(
    timeline: Timeline,
    recording: Recording,
    busy: list[tuple[int, int]],
    steps: list[tuple[int, int]],
    ledger: DeviceLedger,
) -> None:
    """Moments of the steps without any device work, by what the host did and on which line."""
    track = recording.tracks.get(timeline.step_thread, Track())
    data = thread_fetches(timeline.fetches, timeline.step_thread)
    launching = _launching(timeline, recording) if recording.from_trace else None
    for step_begin, step_end in steps:
        for begin, end in uncovered(step_begin, step_end, busy):
            ledger.idle_ns += end - begin
            for place, start, stop in segments(track, begin, end):
                ledger.idle[place] += stop - start
            fetching = list(clipped(data, begin, end)) if data else []
            waiting = sum(stop - start for start, stop in fetching)
            blocking = list(clipped(ledger.waits.blocked, begin, end))
            blocked = sum(
                stop - start
                for low, high in blocking
                for start, stop in uncovered(low, high, fetching)
            )
            rest = end - begin - waiting - blocked
            ledger.idle_kind["data"] += waiting
            ledger.idle_kind["sync"] += blocked
            if launching is None:
                ledger.idle_kind["overhead"] += rest
                continue
            taken = merged([*fetching, *blocking]) if fetching or blocking else []
            outside = sum(
                stop - start
                for low, high in uncovered(begin, end, taken)
                for start, stop in uncovered(low, high, launching)
            )
            ledger.idle_kind["overhead"] += rest - outside
            ledger.idle_kind["other"] += outside


def _launching(timeline: Timeline, recording: Recording) -> list[tuple[int, int]]:
    """When any thread of the host was in an operator or a call of the runtime.

    A line clock knows what the host did at every moment; a recorded trace knows its operators, and
    what was between them (Python, mostly) it cannot tell.
    """
    ops = recording.ops
    assert ops is not None
    kinds = (timeline.kinds.index("op"), timeline.kinds.index("runtime"))
    return merged(
        [
            (start, start + ns)
            for start, ns, kind in zip(ops.start, ops.duration, ops.kind, strict=True)
            if kind in kinds
        ]
    )
