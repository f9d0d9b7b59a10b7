"""Live memory in a recording that somebody else made: its curve, its peak, and who holds the peak.

Such a recording begins in the middle and knows nothing of what is there already. What the allocator
itself counts (``MemoryEvents.total``) is the level; without it the level is at least what is freed
later. A block belongs to the operator that was running on its thread when it was allocated. What
memory is for is not told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, compress

from stepscope.attribution.memory import MemoryLedger, bytes_by_operator, operators_at
from stepscope.attribution.model import MemoryPoint
from stepscope.attribution.owners import Owned
from stepscope.attribution.replay import Replay, Steps, curve_points, replay
from stepscope.timeline.model import NOWHERE, MemoryEvents, Recording, Timeline, Track

_HOST = -1
_NO_LEVEL = (
    "The recording does not tell how much memory was in use when it began, only what was freed "
    "since, so the real peak may be higher."
)
_NO_ADDRESSES = (
    "The recording does not tell which block was freed, so its peak cannot be put on lines."
)


def recorded_memory(
    timeline: Timeline, recording: Recording, owned: Owned, device: int | None = None
) -> MemoryLedger | None:
    """The ledger of one device, by default the accelerator with the highest peak, else the host.

    It covers the whole recording; only ``allocated`` is per step where there are steps. None where
    no memory was recorded.
    """
    memory = recording.memory
    if memory is None or recording.ops is None or not len(memory.time):
        return None
    operators = operators_at(recording, owned, memory.time, memory.thread)
    places = _places(timeline, recording, owned, operators)
    devices = sorted(set(memory.device)) if device is None else [device]
    if device is None and devices[-1] != _HOST:
        devices = [number for number in devices if number != _HOST]
    ledgers = [
        _device_ledger(recording, memory, places, number)
        for number in devices
        if number in memory.device
    ]
    if not ledgers:
        return None
    number, ledger = max(zip(devices, ledgers, strict=True), key=lambda pair: pair[1].peak_bytes)
    ledger.by_operator = bytes_by_operator(timeline, recording, owned, operators, number)
    return ledger


def _places(
    timeline: Timeline, recording: Recording, owned: Owned, operators: list[int]
) -> list[int]:
    """The line of each event: of its operator, else of what its thread was at."""
    memory, ops = recording.memory, recording.ops
    assert memory is not None
    assert ops is not None
    native = dict(zip(ops.thread, ops.native, strict=True))
    step_track = recording.tracks.get(timeline.step_thread, Track())
    found = []
    for index, operator in enumerate(operators):
        if operator >= 0:
            found.append(owned.owner[operator])
            continue
        track = recording.tracks.get(native.get(memory.thread[index], -1), step_track)
        found.append(track.place_at(memory.time[index]))
    return found


def _device_ledger(
    recording: Recording, memory: MemoryEvents, places: list[int], device: int
) -> MemoryLedger:
    mine = [where == device for where in memory.device]
    times = list(compress(memory.time, mine))
    steps = Steps(
        address=list(compress(memory.address, mine)),
        size=list(compress(memory.size, mine)),
        place=list(compress(places, mine)),
        total=None if memory.total is None else list(compress(memory.total, mine)),
    )
    level = _level(steps)
    addressed = any(address >= 0 for address in steps.address)
    notes = [] if level is not None else [_NO_LEVEL]
    if addressed:
        played = replay(steps, {}, _freed_unseen(steps) if level is None else level)
    else:
        played = _played_without_addresses(steps, level)
        notes.append(_NO_ADDRESSES)
    reserved = [] if memory.reserved is None else list(compress(memory.reserved, mine))
    begin = min([times[0], *recording.bounds[:1]])
    return MemoryLedger(
        peak_bytes=played.peak_bytes,
        peak_place=steps.place[played.peak_event] if played.peak_event >= 0 else NOWHERE,
        reserved_bytes=max((value for value in reserved if value >= 0), default=None),
        categories=None,
        allocated=_per_step(recording, times, steps),
        timeline=tuple(
            MemoryPoint((times[index] - begin) / 1e6, played.live[index])
            for index in curve_points(played.live)
        ),
        live=dict(played.owners) if addressed else None,
        before_bytes=played.before_bytes if addressed else None,
        notes=tuple(notes),
    )


def _level(steps: Steps) -> int | None:
    """Bytes in use before the first event, by the allocator's own count; None without one."""
    if steps.total is None:
        return None
    for total, change in zip(steps.total, accumulate(steps.size), strict=True):
        if total >= 0:
            return max(0, total - change)
    return None


def _freed_unseen(steps: Steps) -> int:
    """Bytes of blocks that are freed without having been allocated: they were there before."""
    live: set[int] = set()
    unseen = 0
    for address, size in zip(steps.address, steps.size, strict=True):
        if size > 0:
            live.add(address)
        elif address in live:
            live.remove(address)
        else:
            unseen -= size
    return unseen


def _played_without_addresses(steps: Steps, level: int | None) -> Replay:
    """The curve alone. Without a level it starts as low as it can without falling below zero."""
    changes = list(accumulate(steps.size))
    begin = max(0, -min(changes)) if level is None else level
    live = [begin + change for change in changes]
    if steps.total is not None:
        live = [
            total if total >= 0 else value for total, value in zip(steps.total, live, strict=True)
        ]
    peak = max(range(len(live)), key=live.__getitem__)
    if begin >= live[peak]:
        return Replay(begin, -1, begin, live, allocated={})
    return Replay(live[peak], peak, begin, live, allocated={})


def _per_step(recording: Recording, times: Sequence[int], steps: Steps) -> dict[int, int]:
    """Bytes allocated by place: per step, or over the recording where it has no whole step."""
    count = recording.steps
    begin, end = (recording.bounds[0], recording.bounds[-1]) if count else (0, 0)
    sums: dict[int, int] = defaultdict(int)
    for time, size, place in zip(times, steps.size, steps.place, strict=True):
        if size > 0 and (not count or begin <= time < end):
            sums[place] += size
    return {place: round(size / max(1, count)) for place, size in sums.items()}
