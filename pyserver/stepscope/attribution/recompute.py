"""Forward operators that run a second time, inside the backward pass: activation checkpointing.

Three signs, any of which will do. The recorded stack is in checkpoint's own ``recompute_fn``; the
backward node is the one that reentrant checkpointing makes; or the user's own code runs inside a
backward node with gradients on, which nothing else does (a custom ``backward`` has them off).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from stepscope.attribution.intervals import Interval, merged
from stepscope.timeline.model import NOWHERE, Recording, Timeline

if TYPE_CHECKING:
    from stepscope.attribution.owners import Owned

_NODE = "CheckpointFunctionBackward"
_BACKWARD_SCOPE = 1


def recomputed(timeline: Timeline, recording: Recording, owned: Owned) -> bytearray:
    """1 at the index of each operator that repeats one of the forward pass."""
    ops = recording.ops
    assert ops is not None
    found = bytearray(len(ops))
    checkpoint = bytearray(_NODE in text for text in timeline.strings)
    node = bytearray(text.startswith("autograd::engine::") for text in timeline.strings)
    during = _intervals(recording)
    under = bytearray(len(ops))  # below a node of reentrant checkpointing
    for i in owned.order:
        if not owned.backward[i]:
            continue
        above = owned.parent[i]
        if (above >= 0 and found[above]) or _inside(during.get(ops.native[i]), ops.start[i]):
            found[i] = 1
            continue
        name = ops.name[i]
        under[i] = checkpoint[name] or (above >= 0 and under[above])
        if ops.sequence[i] < 0 or ops.scope[i] == _BACKWARD_SCOPE or node[name]:
            continue
        own_code = owned.place[i] != NOWHERE and owned.owner[i] == owned.place[i]
        if under[i] or (own_code and not recording.from_trace):
            found[i] = 1
    return found


def _intervals(recording: Recording) -> dict[int, list[Interval]]:
    by_thread: dict[int, list[Interval]] = defaultdict(list)
    for thread, begin, end in recording.facts.get("recompute", ()):
        by_thread[thread].append((begin, end))
    return {thread: merged(intervals) for thread, intervals in by_thread.items()}


def _inside(intervals: list[Interval] | None, time: int) -> bool:
    if not intervals:
        return False
    index = bisect_right(intervals, (time, time)) - 1
    return index >= 0 and time < intervals[index][1]
