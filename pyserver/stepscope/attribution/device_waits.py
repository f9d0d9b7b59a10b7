"""Host calls that wait for the device, charged to the line that makes them.

A call that blocks is the line that *waits*; the device's time stays with the line that *launched*.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from stepscope.attribution.host import segments
from stepscope.attribution.intervals import Interval, merged
from stepscope.attribution.owners import Owned
from stepscope.timeline.model import Ops, Recording, Timeline, Track

_SYNC = "Synchronize"
_COPY = "Memcpy"


@dataclass(slots=True)
class Waits:
    """Host nanoseconds by place.

    ``calls[place]`` names what synchronised, with how often; ``blocked`` is when the step's thread
    was in such a call.
    """

    sync: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    copy: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    calls: dict[int, dict[str, int]] = field(default_factory=dict)
    blocked: list[Interval] = field(default_factory=list)


def device_waits(
    timeline: Timeline, recording: Recording, owned: Owned, steps: list[Interval]
) -> Waits:
    """The blocking calls of the step's thread inside ``steps``."""
    ops = recording.ops
    assert ops is not None
    waits = Waits()
    begins = [low for low, _ in steps]
    track = recording.tracks.get(timeline.step_thread, Track())
    runtime_kind, copy_kind = timeline.kinds.index("runtime"), timeline.kinds.index("memcpy")
    by_correlation = {ops.correlation[i]: i for i in owned.order}
    copies = {ops.correlation[i]: i for i in range(len(ops)) if ops.kind[i] == copy_kind}
    for i in range(len(ops)):
        if ops.kind[i] != runtime_kind or ops.native[i] != timeline.step_thread:
            continue
        name = timeline.strings[ops.name[i]]
        syncs = name.endswith(_SYNC)
        if not syncs and not (
            _COPY in name and _copy_blocks(timeline, ops, i, copies.get(ops.correlation[i]))
        ):
            continue
        begin, end = ops.start[i], ops.start[i] + ops.duration[i]
        step = bisect_right(begins, begin) - 1
        if step < 0 or begin >= steps[step][1]:
            continue
        table = waits.sync if syncs else waits.copy
        for place, start, stop in segments(track, begin, end):
            table[place] += stop - start
        if syncs:
            waits.blocked.append((begin, end))
            cause = by_correlation.get(ops.linked[i], -1) if ops.linked[i] else -1
            while cause >= 0 and owned.parent[cause] >= 0:
                cause = owned.parent[cause]
            word = timeline.strings[ops.name[cause]] if cause >= 0 else name
            calls = waits.calls.setdefault(track.place_at(begin), {})
            calls[word] = calls.get(word, 0) + 1
    waits.blocked = merged(waits.blocked)
    return waits


def _copy_blocks(timeline: Timeline, ops: Ops, call: int, copy: int | None) -> bool:
    """Whether a copy call keeps the host until the copy is done (or staged).

    An asynchronous call does so for pageable host memory only. CUDA names the kinds of memory in
    the copy's own name; where a runtime does not, a call that outlasted its copy has waited for it.
    """
    if "Async" not in timeline.strings[ops.name[call]]:
        return True
    if copy is None:
        return False
    name = timeline.strings[ops.name[copy]]
    if "Pageable" in name:
        return True
    if "Pinned" in name or "DtoD" in name or "PtoP" in name:
        return False
    return ops.start[call] + ops.duration[call] >= ops.start[copy] + ops.duration[copy]
