"""Allocations and frees played again: what was live when, and who had allocated it.

For recordings that begin in the middle. What was allocated before is known by its size only, or
because it is freed later, or because the allocator's own total counts it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stepscope.timeline.model import NOWHERE

CURVE_POINTS = 400

Held = tuple[int, int]
"""(bytes, place) of a live block."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What happened, in order. ``size`` is negative for a free; ``place`` of the allocation.

    ``total`` is the allocator's own count of live bytes after each event, -1 or None where it does
    not tell.
    """

    address: Sequence[int]
    size: Sequence[int]
    place: Sequence[int]
    total: Sequence[int] | None = None


@dataclass(slots=True)
class Replay:
    """Bytes. ``peak_event`` is -1 where the peak was there at the start.

    ``live[i]`` is what was live after event i. ``owners`` divides what was live at the peak by
    place, ``NOWHERE`` for blocks of the recording without a line; ``before_bytes`` is the rest:
    allocated before the recording, nobody knows where.
    """

    peak_bytes: int
    peak_event: int
    start_bytes: int
    live: list[int] = field(default_factory=list)
    owners: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    before_bytes: int = 0
    allocated: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def replay(steps: Steps, initial: Mapping[int, Held], unknown: int) -> Replay:
    """Play all of it. ``initial`` is live at the start by address, with ``unknown`` bytes more."""
    total = unknown + sum(size for size, _ in initial.values())
    found = Replay(total, -1, total)
    blocks = _Blocks(initial, unknown)
    for index in range(len(steps.size)):
        total = blocks.apply(steps, index)
        found.live.append(total)
        if total > found.peak_bytes:
            found.peak_bytes, found.peak_event = total, index
        if steps.size[index] > 0:
            found.allocated[steps.place[index]] += steps.size[index]
    at_peak = _Blocks(initial, unknown)
    for index in range(found.peak_event + 1):
        at_peak.apply(steps, index)
    for address, (size, place) in at_peak.live.items():
        if place == NOWHERE and address in at_peak.old:
            found.before_bytes += size
        else:
            found.owners[place] += size
    found.before_bytes += at_peak.unknown
    return found


def curve_points(live: Sequence[int]) -> list[int]:
    """Indices of at most ``CURVE_POINTS`` events that keep the curve's shape and its peak."""
    stride = max(1, -(-len(live) // CURVE_POINTS))
    return [
        max(range(first, min(first + stride, len(live))), key=live.__getitem__)
        for first in range(0, len(live), stride)
    ]


class _Blocks:
    """``old`` holds the addresses of blocks from before the recording."""

    def __init__(self, initial: Mapping[int, Held], unknown: int) -> None:
        self.live = dict(initial)
        self.old = set(initial)
        self.unknown = unknown
        self._known = sum(size for size, _ in initial.values())

    def apply(self, steps: Steps, index: int) -> int:
        """Bytes that are live after the event."""
        address, size = steps.address[index], steps.size[index]
        gone = self.live.pop(address, None)
        if gone is not None:  # freed, or reused since a free that was not recorded
            self._known -= gone[0]
            self.old.discard(address)
        elif size < 0:
            self.unknown = max(0, self.unknown + size)
        if size > 0:
            self.live[address] = (size, steps.place[index])
            self._known += size
        if steps.total is not None and steps.total[index] >= 0:
            # Events may be missing from a recording; the allocator's own count is not.
            self.unknown = max(0, steps.total[index] - self._known)
        return self._known + self.unknown
