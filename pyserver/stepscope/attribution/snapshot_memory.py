"""A memory snapshot -> its curve, its peak, and the lines that hold the peak.

The history is a ring: it begins in the middle, and its end is the state that the snapshot holds as
well. So it is played backward once, from that state, to know what was live when it began.

Sizes are those that were requested, as the history has them; the allocator rounds each up to a
multiple of 512 bytes. Memory is live from its allocation until its owner lets go of it, as
``torch.cuda.memory_allocated`` counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

from stepscope.attribution.model import LineKey, MemoryPoint, MemoryProfile
from stepscope.attribution.replay import Held, Replay, Steps, curve_points, replay
from stepscope.timeline.model import NOWHERE
from stepscope.timeline.snapshot.model import (
    ALLOC,
    FREE,
    OUT_OF_MEMORY,
    RELEASE,
    RESERVE,
    AllocatorHistory,
    Snapshot,
)


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """A request that failed: ``free_bytes`` the device had left, ``live_bytes`` were in use."""

    place: int
    size: int
    free_bytes: int
    live_bytes: int


@dataclass(frozen=True, slots=True)
class DevicePeak:
    """One device of a snapshot. ``owners`` and ``allocated`` are bytes by place.

    ``owners[NOWHERE]`` has no line although it was allocated during the recording. Without a
    history (``recorded`` is False) the peak is what was live when the snapshot was taken.
    """

    device: int
    memory: MemoryProfile
    owners: dict[int, int]
    allocated: dict[int, int]
    recorded: bool
    failures: tuple[OutOfMemory, ...] = ()


def device_peaks(snapshot: Snapshot) -> list[DevicePeak]:
    """Every device that did anything, by its number."""
    return [_device_peak(snapshot, history) for history in snapshot.devices]


def _device_peak(snapshot: Snapshot, history: AllocatorHistory) -> DevicePeak:
    kept = [action in (ALLOC, FREE) for action in history.action]
    address = list(compress(history.address, kept))
    size = [
        -size if action == FREE else size
        for size, action in compress(zip(history.size, history.action, strict=True), kept)
    ]
    place = list(compress(history.place, kept))
    steps = Steps(address, size, place)
    played = replay(steps, _at_the_start(steps, history), 0)
    return DevicePeak(
        device=history.device,
        memory=MemoryProfile(
            peak_bytes=played.peak_bytes,
            reserved_bytes=_most_reserved(history),
            peak_line=_line(snapshot, place[played.peak_event] if played.peak_event >= 0 else None),
            categories=None,
            timeline=_curve(history, kept, played),
            before_bytes=played.before_bytes,
        ),
        owners=dict(played.owners),
        allocated=dict(played.allocated),
        recorded=bool(size),
        failures=_failures(history, kept, played),
    )


def _at_the_start(steps: Steps, history: AllocatorHistory) -> dict[int, Held]:
    """What was live before the first event, from what was live after the last one."""
    live = {block.address: (block.size, block.place) for block in history.live}
    for index in range(len(steps.size) - 1, -1, -1):
        if steps.size[index] > 0:
            live.pop(steps.address[index], None)
        else:
            live[steps.address[index]] = (-steps.size[index], NOWHERE)
    return live


def _most_reserved(history: AllocatorHistory) -> int:
    """The most that the allocator held at any time, followed backward from the end."""
    held = most = history.reserved
    for action, size in zip(reversed(history.action), reversed(history.size), strict=True):
        if action == RESERVE:
            held -= size
        elif action == RELEASE:
            held += size
            most = max(most, held)
    return most


def _curve(history: AllocatorHistory, kept: list[bool], played: Replay) -> tuple[MemoryPoint, ...]:
    """Live bytes over time; empty where the snapshot holds no times."""
    if history.time is None or not played.live:
        return ()
    times = list(compress(history.time, kept))
    start = min(times)
    return tuple(
        MemoryPoint((times[index] - start) / 1e6, played.live[index])
        for index in curve_points(played.live)
    )


def _failures(
    history: AllocatorHistory, kept: list[bool], played: Replay
) -> tuple[OutOfMemory, ...]:
    found = []
    done = 0  # events of the replay so far
    for index, action in enumerate(history.action):
        if action == OUT_OF_MEMORY:
            live = played.live[done - 1] if done else played.start_bytes
            found.append(
                OutOfMemory(history.place[index], history.size[index], history.address[index], live)
            )
        done += kept[index]
    return tuple(found)


def _line(snapshot: Snapshot, place: int | None) -> LineKey | None:
    if place is None or place == NOWHERE:
        return None
    where = snapshot.places[place]
    return (where.file, where.line)
