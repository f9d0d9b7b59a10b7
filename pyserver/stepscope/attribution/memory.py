"""Live memory over one step: who allocated what was live at the peak, and what it was for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from stepscope.attribution.host import thread_fetches
from stepscope.attribution.intervals import clipped
from stepscope.attribution.model import Categories, MemoryPoint
from stepscope.attribution.owners import Owned
from stepscope.timeline.model import NOWHERE, Recording, Timeline, Track

_TIMELINE_POINTS = 400
_OWNERS = ("parameter", "gradient", "optimizer")


@dataclass(slots=True)
class MemoryLedger:
    """Bytes. ``by_place`` is what was live at the peak by allocating line, per category."""

    peak_bytes: int
    peak_place: int
    reserved_bytes: int | None
    categories: Categories
    allocated: dict[int, int] = field(default_factory=dict)  # per place, over one step
    by_place: dict[int, Categories] = field(default_factory=dict)
    by_operator: dict[int, int] = field(default_factory=dict)  # bytes allocated by each operator
    timeline: tuple[MemoryPoint, ...] = ()


@dataclass(slots=True)
class _Block:
    size: int
    place: int
    backward: bool
    born: int
    address: int
    died: int | None = None
    input: bool = False
    known: str | None = None  # category of memory that was there before


def memory_ledger(timeline: Timeline, recording: Recording, owned: Owned) -> MemoryLedger | None:
    """Replay the detail recording's allocations. None where none were recorded."""
    memory = recording.memory
    if memory is None or not len(memory.time):
        return None
    since = recording.facts["resident_at"]
    steps = [(low, high) for low, high in pairwise(recording.bounds) if low >= since]
    if not steps:
        return None
    begin, end = steps[0]
    wanted = -1 if timeline.facts["device_type"] == "cpu" else 0
    operators = _operators_at(recording, owned, memory.time, memory.thread)
    track = recording.tracks.get(timeline.step_thread, Track())
    live, total = _resident(recording.facts)
    peak = _Peak(total, begin)
    blocks: list[_Block] = []
    allocated: dict[int, int] = defaultdict(int)
    by_operator: dict[int, int] = defaultdict(int)
    curve: list[tuple[int, int]] = [(begin, total)]
    fetches = thread_fetches(timeline.fetches, timeline.step_thread)
    for index in range(len(memory.time)):
        if (memory.device[index] == -1) != (wanted == -1):
            continue
        time, address, size = memory.time[index], memory.address[index], memory.size[index]
        if time < since:
            continue
        if size < 0:
            block = live.pop(address, None)
            if block is None:
                continue  # allocated before, by something that we could not see
            block.died = time
            total -= block.size
        else:
            operator = operators[index]
            if operator >= 0:
                place, backward = owned.owner[operator], owned.backward[operator]
            else:
                segment = track.at(time)
                place = track.places[segment] if segment >= 0 else NOWHERE
                backward = False
            block = _Block(size, place, backward, time, address)
            block.input = any(True for _ in clipped(fetches, time, time + 1))
            blocks.append(block)
            live[address] = block
            total += size
            if begin <= time < end:
                allocated[place] += size
                if operator >= 0:
                    by_operator[operator] += size
        if begin <= time < end:
            curve.append((time, total))
            if total > peak.bytes:
                peak.bytes, peak.time = total, time
    return _summarise(
        timeline, recording, owned, peak, blocks, allocated, by_operator, curve, (begin, end)
    )


@dataclass(slots=True)
class _Peak:
    bytes: int
    time: int


def _resident(facts: dict[str, Any]) -> tuple[dict[int, _Block], int]:
    """Memory that was live before the recording, by address."""
    # The last note before the state was taken tells what its addresses are.
    owned = [note for note in facts["owned"] if note["time"] <= facts["resident_at"]][-1]
    kinds = {address: kind for kind in _OWNERS for address in owned[kind]}
    live: dict[int, _Block] = {}
    for address, size, graph in facts["resident"]:
        category = kinds.get(address, "activation" if graph else "input")
        live[address] = _Block(size, NOWHERE, False, 0, address, known=category)
    return live, sum(block.size for block in live.values())


def _summarise(
    timeline: Timeline,
    recording: Recording,
    owned: Owned,
    peak: _Peak,
    blocks: list[_Block],
    allocated: dict[int, int],
    by_operator: dict[int, int],
    curve: list[tuple[int, int]],
    step: tuple[int, int],
) -> MemoryLedger:
    facts = recording.facts
    backward_from = _first_backward(recording, owned, step[0])
    resident, _ = _resident(facts)
    moments = [
        (moment["time"], {kind: frozenset(moment[kind]) for kind in _OWNERS})
        for moment in facts["owned"]
    ]
    totals: dict[str, int] = defaultdict(int)
    by_place: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    freed = _freed_addresses(recording, facts["resident_at"], peak.time)
    for block in resident.values():
        if block.address not in freed:
            totals[block.known or "input"] += block.size
    for block in blocks:
        if block.born <= peak.time and (block.died is None or block.died > peak.time):
            category = _category(block, moments, backward_from)
            totals[category] += block.size
            by_place[block.place][category] += block.size
    segment_track = recording.tracks.get(timeline.step_thread, Track())
    segment = segment_track.at(peak.time)
    allocator = facts.get("allocator")
    start = curve[0][0]
    stride = max(1, len(curve) // _TIMELINE_POINTS)
    return MemoryLedger(
        peak_bytes=allocator["peak"] if allocator else peak.bytes,
        peak_place=segment_track.places[segment] if segment >= 0 else NOWHERE,
        reserved_bytes=allocator["reserved"] if allocator else None,
        categories=Categories(**totals),
        allocated=dict(allocated),
        by_place={place: Categories(**parts) for place, parts in by_place.items()},
        by_operator=dict(by_operator),
        timeline=tuple(MemoryPoint((time - start) / 1e6, live) for time, live in curve[::stride]),
    )


def _freed_addresses(recording: Recording, since: int, until: int) -> set[int]:
    """Addresses whose first event from ``since`` to ``until`` is a free: they were live before."""
    memory = recording.memory
    assert memory is not None
    seen: set[int] = set()
    freed: set[int] = set()
    for time, address, size in zip(memory.time, memory.address, memory.size, strict=True):
        if time < since:
            continue
        if time > until:
            break
        if address not in seen:
            seen.add(address)
            if size < 0:
                freed.add(address)
    return freed


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


def _operators_at(recording: Recording, owned: Owned, times: Any, threads: Any) -> list[int]:
    """Innermost operator at each memory event, -1 without."""
    ops = recording.ops
    assert ops is not None
    per_thread: dict[int, list[int]] = defaultdict(list)
    for i in owned.order:
        per_thread[ops.thread[i]].append(i)
    found = [-1] * len(times)
    stacks: dict[int, tuple[list[int], int]] = {thread: ([], 0) for thread in per_thread}
    for index in range(len(times)):
        thread = threads[index]
        if thread not in per_thread:
            continue
        stack, position = stacks[thread]
        order = per_thread[thread]
        time = times[index]
        while position < len(order) and ops.start[order[position]] <= time:
            stack.append(order[position])
            position += 1
            while len(stack) > 1 and _ended(ops, stack[-2], ops.start[stack[-1]]):
                stack.pop(-2)
        while stack and _ended(ops, stack[-1], time):
            stack.pop()
        stacks[thread] = (stack, position)
        if stack:
            found[index] = stack[-1]
    return found


def _ended(ops: Any, operator: int, time: int) -> bool:
    return bool(ops.start[operator] + ops.duration[operator] <= time)
