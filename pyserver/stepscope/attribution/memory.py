"""Live memory over one step: who allocated what was live at the peak, and what it was for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from operator import add
from typing import Any

from stepscope.attribution.host import thread_fetches
from stepscope.attribution.intervals import clipped
from stepscope.attribution.model import Categories, MemoryPoint
from stepscope.attribution.owners import Owned
from stepscope.timeline.model import NOWHERE, Recording, Timeline, Track

_TIMELINE_POINTS = 400
ALLOCATORS = frozenset(
    ("aten::empty", "aten::empty_strided", "aten::empty_like", "aten::resize_", "aten::item",
     "aten::_local_scalar_dense", "aten::resolve_conj", "aten::resolve_neg", "aten::result_type")
)  # fmt: skip
"""Operators that touch no data: what one of them allocates, its caller fills."""
_OWNERS = ("parameter", "gradient", "optimizer")


@dataclass(slots=True)
class MemoryLedger:
    """Bytes. ``by_place`` is what was live at the peak by allocating line, per category.

    Recordings that others made do not tell what memory is for: ``categories`` is None, and ``live``
    holds what ``by_place`` would (None where no line can be told). ``before_bytes`` of the peak
    were allocated before such a recording began.

    ``old`` is what earlier steps had left behind and was still live at the peak, by the line that
    let go of it later. ``outliving`` was made in the step and outlived it, by allocating line;
    ``held`` outlived the same statement of the next step too, None where no next step was recorded.
    Parameters, gradients and optimizer state are in none of the three. ``growth`` is how much more
    was live when the step ended than when it began.
    """

    peak_bytes: int
    peak_place: int
    reserved_bytes: int | None
    categories: Categories | None
    allocated: dict[int, int] = field(default_factory=dict)  # per place, over one step
    by_place: dict[int, Categories] = field(default_factory=dict)
    by_operator: dict[int, int] = field(default_factory=dict)  # bytes allocated by each operator
    timeline: tuple[MemoryPoint, ...] = ()
    live: dict[int, int] | None = None
    before_bytes: int | None = None
    notes: tuple[str, ...] = ()
    old: dict[int, int] = field(default_factory=dict)
    outliving: dict[int, int] = field(default_factory=dict)
    held: dict[int, int] | None = None
    growth: int = 0


@dataclass(slots=True)
class _Block:
    """``first`` and ``last`` are numbers of memory events: several may share one nanosecond."""

    size: int
    place: int
    backward: bool
    address: int
    born: int = 0
    first: int = -1
    died: int | None = None
    last: int | None = None
    input: bool = False
    known: str | None = None  # category of memory that was there before


@dataclass(slots=True)
class _Replay:
    """What became of the memory. ``peak`` and ``curve`` look at one step only."""

    blocks: list[_Block]
    total: int
    peak_bytes: int = -1
    peak_time: int = 0
    peak_event: int = -1
    allocated: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    curve: list[tuple[int, int]] = field(default_factory=list)

    def look(self, time: int, event: int) -> None:
        """Note what is live now."""
        self.curve.append((time, self.total))
        if self.total > self.peak_bytes:
            self.peak_bytes, self.peak_time, self.peak_event = self.total, time, event


def memory_ledger(timeline: Timeline, recording: Recording, owned: Owned) -> MemoryLedger | None:
    """Replay the detail recording's allocations. None where none were recorded."""
    memory = recording.memory
    ops = recording.ops
    if memory is None or ops is None or not len(memory.time):
        return None
    since = recording.facts["resident_at"]
    steps = list(pairwise(recording.bounds))
    if not steps:
        return None
    operators = operators_at(recording, owned, memory.time, memory.thread)
    replay = _replay(timeline, recording, owned, operators, since, steps[0])
    device = timeline.facts["device_index"]
    by_operator = bytes_by_operator(timeline, recording, owned, operators, device)
    return _summarise(timeline, recording, owned, replay, by_operator, steps[0])


def bytes_by_operator(
    timeline: Timeline, recording: Recording, owned: Owned, operators: list[int], device: int
) -> dict[int, int]:
    """Bytes that each operator allocated on the device, allocators counted with their callers."""
    memory, ops = recording.memory, recording.ops
    assert memory is not None
    assert ops is not None
    by_operator: dict[int, int] = defaultdict(int)
    is_allocator = [text in ALLOCATORS for text in timeline.strings]
    for index, operator in enumerate(operators):
        if operator < 0 or memory.size[index] <= 0 or memory.device[index] != device:
            continue
        while is_allocator[ops.name[operator]] and owned.parent[operator] >= 0:
            operator = owned.parent[operator]
        by_operator[operator] += memory.size[index]
    return dict(by_operator)


def _replay(
    timeline: Timeline,
    recording: Recording,
    owned: Owned,
    operators: list[int],
    since: int,
    step: tuple[int, int],
) -> _Replay:
    """Follow the model's device from ``since`` on, looking closely at one step."""
    memory = recording.memory
    assert memory is not None
    begin, end = step
    device = timeline.facts["device_index"]
    track = recording.tracks.get(timeline.step_thread, Track())
    fetches = thread_fetches(timeline.fetches, timeline.step_thread)
    blocks = _resident(recording.facts)
    live = {block.address: block for block in blocks}
    replay = _Replay(blocks, sum(block.size for block in blocks))
    for index in range(len(memory.time)):
        time, address, size = memory.time[index], memory.address[index], memory.size[index]
        if time < since or memory.device[index] != device:
            continue
        inside = begin <= time < end
        if time >= begin and not replay.curve:
            replay.look(begin, index - 1)
        gone = live.pop(address, None)
        if gone is not None:  # freed, or free since some time that was not reported: it is reused
            gone.died, gone.last = time, index
            replay.total -= gone.size
        if size > 0:
            operator = operators[index]
            if operator >= 0:
                place, backward = owned.owner[operator], owned.backward[operator]
            else:
                place, backward = track.place_at(time), False
            block = _Block(size, place, backward, address, time, index)
            block.input = any(True for _ in clipped(fetches, time, time + 1))
            blocks.append(block)
            live[address] = block
            replay.total += size
            if inside:
                replay.allocated[place] += size
        if inside:
            replay.look(time, index)
    if not replay.curve:
        replay.look(begin, len(memory.time))
    return replay


def _resident(facts: dict[str, Any]) -> list[_Block]:
    """Memory that was live before the recording."""
    # The last note before the state was taken tells what its addresses are.
    owned = [note for note in facts["owned"] if note["time"] <= facts["resident_at"]][-1]
    kinds = {address: kind for kind in _OWNERS for address in owned[kind]}
    blocks = []
    for address, size, graph in facts["resident"]:
        known = kinds.get(address, "activation" if graph else "input")
        blocks.append(_Block(size, NOWHERE, False, address, known=known))
    return blocks


def _summarise(
    timeline: Timeline,
    recording: Recording,
    owned: Owned,
    replay: _Replay,
    by_operator: dict[int, int],
    step: tuple[int, int],
) -> MemoryLedger:
    facts = recording.facts
    begin, end = step
    backward_from = _first_backward(recording, owned, begin)
    moments = [
        (moment["time"], {kind: frozenset(moment[kind]) for kind in _OWNERS})
        for moment in facts["owned"]
    ]
    totals: dict[str, int] = defaultdict(int)
    by_place: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    track = recording.tracks.get(timeline.step_thread, Track())
    replaced = _made_again(replay, track, end, facts["owned"][-1]["time"])
    old: dict[int, int] = defaultdict(int)
    outliving: dict[int, int] = defaultdict(int)
    held: dict[int, int] = defaultdict(int)
    for block in replay.blocks:
        event = replay.peak_event
        if block.first <= event and (block.last is None or block.last > event):
            category = block.known or _category(block, moments, backward_from)
            totals[category] += block.size
            if block.known is None:
                by_place[block.place][category] += block.size
            elif category not in _OWNERS and block.died is not None:
                old[track.place_at(block.died)] += block.size
        if block.known is None and begin <= block.born < end:
            lives_on = block.died is None or block.died >= end
            if lives_on and _category(block, moments, backward_from) not in _OWNERS:
                outliving[block.place] += block.size
                if block.died is None and replaced and block.place in replaced:
                    held[block.place] += block.size
    allocator = facts.get("allocator")
    curve = replay.curve
    stride = max(1, len(curve) // _TIMELINE_POINTS)
    return MemoryLedger(
        peak_bytes=allocator["peak"] if allocator else replay.peak_bytes,
        peak_place=track.place_at(replay.peak_time),
        reserved_bytes=allocator["reserved"] if allocator else None,
        categories=Categories(**totals),
        allocated=dict(replay.allocated),
        by_place={place: Categories(**parts) for place, parts in by_place.items()},
        by_operator=dict(by_operator),
        timeline=tuple(MemoryPoint((time - begin) / 1e6, live) for time, live in curve[::stride]),
        old=dict(old),
        outliving=dict(outliving),
        held=dict(held) if replaced is not None else None,
        growth=curve[-1][1] - curve[0][1],
    )


def _made_again(replay: _Replay, track: Track, end: int, last: int) -> set[int] | None:
    """Places whose statement of the loop has made memory again, and is over, until ``last``.

    So a variable that kept what they had made before has the new by then. None where no further
    step was counted after ``end``.
    """
    if last <= end:
        return None
    segment = track.at(last)
    there = track.loops[segment] if segment >= 0 else NOWHERE
    found = set()
    for block in replay.blocks:
        if end <= block.born < last:
            segment = track.at(block.born)
            loop = track.loops[segment] if segment >= 0 else NOWHERE
            if loop not in (NOWHERE, there):
                found.add(block.place)
    return found


def _category(
    block: _Block,
    moments: list[tuple[int, dict[str, frozenset[int]]]],
    backward_from: int | None,
) -> str:
    """What a block is for: known owners first, else by when it was born and when it died."""
    for time, owners in moments:
        if block.born <= time and (block.died is None or block.died > time):
            for kind in _OWNERS:
                if block.address in owners[kind]:
                    return kind
    if block.input:
        return "input"
    if not block.backward and backward_from is not None and block.born < backward_from:
        kept = block.died is None or block.died >= backward_from
        return "activation" if kept else "temporary"
    return "temporary"


def _first_backward(recording: Recording, owned: Owned, begin: int) -> int | None:
    """When the step's backward pass began."""
    ops = recording.ops
    assert ops is not None
    return next(
        (ops.start[i] for i in owned.order if owned.backward[i] and ops.start[i] >= begin), None
    )


def operators_at(recording: Recording, owned: Owned, times: Any, threads: Any) -> list[int]:
    """Innermost operator at each memory event, -1 without."""
    ops = recording.ops
    assert ops is not None
    end = list(map(add, ops.start, ops.duration))
    per_thread: dict[int, list[int]] = defaultdict(list)
    for i in owned.order:
        per_thread[ops.thread[i]].append(i)
    events: dict[int, list[int]] = defaultdict(list)
    for index, thread in enumerate(threads):
        events[thread].append(index)
    found = [-1] * len(times)
    for thread, mine in events.items():
        stack: list[int] = []
        following = iter(per_thread[thread])
        upcoming = next(following, None)
        for index in mine:
            time = times[index]
            while upcoming is not None and ops.start[upcoming] <= time:
                while stack and end[stack[-1]] <= ops.start[upcoming]:
                    stack.pop()
                stack.append(upcoming)
                upcoming = next(following, None)
            while stack and end[stack[-1]] <= time:
                stack.pop()
            if stack:
                found[index] = stack[-1]
    return found
