"""Sequence numbers of autograd's nodes, and the tensors that hold graphs -> ``Graphs``."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from typing import Any

from stepscope.attribution.attribute import Attributed, Recorded
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts.graphs import Graphs, KeptGraphs, UnusedGraph, ZeroFill
from stepscope.timeline.model import NOWHERE, Timeline

_ZEROS = ("aten::zero_", "aten::_foreach_zero_")
_ADDS = "aten::add_"
_ACCUMULATES = "AccumulateGrad"
_BACKWARD_SCOPE = 1


def prepare(attributed: Attributed) -> Graphs | None:
    """None where no operators were recorded."""
    mapped = attributed.mapped
    timeline = attributed.ledgers.timeline
    if mapped.recording.ops is None or not len(mapped.recording.ops):
        return None
    used, again = _passed(timeline, mapped)
    steps = mapped.recording.steps
    memory = attributed.ledgers.memory
    return Graphs(
        steps=steps,
        # A recorded trace knows no loop, and numbers its nodes as it likes.
        unused=() if mapped.recording.from_trace else _unused(attributed, mapped, used),
        kept=_kept(timeline, attributed.detail),
        zero_fills=_zero_fills(attributed, _adding_ms(attributed)),
        backward_lines=_backward_lines(timeline, mapped),
        passed_again=again / max(1, steps),
        outliving_bytes=sum(memory.outliving.values()) if memory is not None else None,
    )


def _passed(timeline: Timeline, mapped: Recorded) -> tuple[frozenset[tuple[int, int]], int]:
    """(forward thread, sequence) of the nodes that ran; how many of whole steps ran before."""
    ops, bounds = mapped.recording.ops, mapped.recording.bounds
    assert ops is not None
    seen: set[tuple[int, int, int]] = set()
    again = 0
    for i in mapped.owned.order:
        if ops.scope[i] != _BACKWARD_SCOPE or ops.sequence[i] < 0:
            continue
        if _ACCUMULATES in timeline.strings[ops.name[i]]:
            continue
        node = (ops.forward_thread[i], ops.sequence[i], ops.name[i])
        again += node in seen and bounds[0] <= ops.start[i] < bounds[-1]
        seen.add(node)
    return frozenset((thread, number) for thread, number, _ in seen), again


def _unused(
    attributed: Attributed, mapped: Recorded, used: frozenset[tuple[int, int]]
) -> tuple[UnusedGraph, ...]:
    """Whole forward passes that make a graph for nobody, by line of the step's loop.

    An operator carries the next number at its start and each node takes one: what is below the last
    number seen has been made, by the last operator that started with a number not above it.
    """
    ledgers = attributed.ledgers
    timeline, recording, owned = ledgers.timeline, mapped.recording, mapped.owned
    ops = recording.ops
    assert ops is not None
    bounds = recording.bounds
    # What the last step makes may be used in the next one, which was not recorded.
    end = bounds[-2] if len(bounds) > 2 else bounds[-1]
    forward: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    tops: dict[int, float] = {}
    for i in owned.order:
        if owned.backward[i] or not bounds[0] <= ops.start[i] < end:
            continue
        above = owned.parent[i]
        if ops.sequence[i] >= 0:
            numbers, makers = forward[ops.thread[i]]
            if numbers and ops.sequence[i] <= numbers[-1]:
                makers[-1] = i
            else:
                numbers.append(ops.sequence[i])
                makers.append(i)
        if above < 0:
            tops[i] = ops.duration[i]
    made: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    nanoseconds: dict[int, float] = defaultdict(float)
    for thread, (numbers, makers) in forward.items():
        for number in range(numbers[0], numbers[-1]):
            maker = makers[bisect_right(numbers, number) - 1]
            loop = owned.loop[maker]
            made[loop][0] += 1
            if (thread, number) in used:
                continue
            made[loop][1] += 1
            while owned.parent[maker] >= 0:
                maker = owned.parent[maker]
            nanoseconds[loop] += tops.pop(maker, 0.0)
    whole = max(1, end - bounds[0])
    steps = max(1, len(bounds) - (2 if len(bounds) > 2 else 1))
    found = []
    for loop, (nodes, unused) in made.items():
        if loop != NOWHERE and unused:
            place = timeline.places[loop]
            share = nanoseconds[loop] / whole
            ms = share * ledgers.step_ms.median
            found.append(UnusedGraph((place.file, place.line), nodes / steps, unused / steps, ms))
    return tuple(found)


def _kept(timeline: Timeline, detail: Recorded | None) -> KeptGraphs | None:
    """Three looks: before the detail pass, after its first step, and at its end."""
    looks: list[dict[str, Any]] = detail.recording.facts.get("graphs", []) if detail else []
    if detail is None or len(looks) < 3:
        return None
    steps = max(1, looks[-1]["step"] - looks[0]["step"])
    sums = [look["sum"][0] for look in looks]
    # The same sum: a loop inside the step may add up more terms in one step than in another.
    first = {look["sum"][2] for look in looks}
    rises = len(first) == 1 and all(later > earlier for earlier, later in pairwise(sums))
    # What is there in two looks has outlived a step; how much is made in one does not matter.
    numbers = [set(look["sequences"]) for look in looks]
    outlived = [len(earlier & later) for earlier, later in pairwise(numbers)]
    between = max(1, looks[-2]["step"] - looks[0]["step"])
    growth = (outlived[-1] - outlived[0]) / between
    lines: dict[LineKey, None] = {}
    if growth > 0:
        for number in sorted(numbers[-1] - numbers[-2]):
            line = _line_of(timeline, detail, number)
            if line is not None:
                lines.setdefault(line)
    return KeptGraphs(
        sum_growth=(sums[-1] - sums[0]) / steps if rises else 0.0,
        sum_length=sums[-1],
        sum_line=_line_of(timeline, detail, looks[-1]["sum"][1]) if rises else None,
        tensor_growth=max(0.0, growth),
        tensor_lines=tuple(lines),
    )


def _line_of(timeline: Timeline, detail: Recorded, number: int) -> LineKey | None:
    """The line that made the node of this number in the step's thread, None outside the pass."""
    ops, owned = detail.recording.ops, detail.owned
    assert ops is not None
    best = -1
    for i in owned.order:
        if ops.native[i] == timeline.step_thread and not owned.backward[i]:
            if 0 <= ops.sequence[i] <= number:
                best = i
            elif ops.sequence[i] > number:
                break
    if best < 0 or owned.place[best] == NOWHERE or ops.sequence[best] != number:
        return None
    place = timeline.places[owned.place[best]]
    return (place.file, place.line)


def _adding_ms(attributed: Attributed) -> float:
    """What adding to gradients that are there takes, ms per step."""
    timeline, mapped = attributed.ledgers.timeline, attributed.mapped
    ops, owned = mapped.recording.ops, mapped.owned
    assert ops is not None
    adding = set()
    for i in owned.order:
        above = owned.parent[i]
        if (
            above >= 0
            and timeline.strings[ops.name[i]] == _ADDS
            and _ACCUMULATES in timeline.strings[ops.name[above]]
        ):
            adding.add((owned.owner[i], ops.name[i], owned.backward[i]))
    work = attributed.ledgers.work_by_key()
    return sum(work.get(key, 0.0) for key in adding)


def _zero_fills(attributed: Attributed, adding_ms: float) -> tuple[ZeroFill, ...]:
    """Fills with zeros on lines that call ``zero_grad``."""
    ledgers, profile = attributed.ledgers, attributed.profile
    timeline = ledgers.timeline
    zeros = {i for i, name in enumerate(timeline.strings) if name in _ZEROS}
    calls: dict[LineKey, float] = defaultdict(float)
    taken: dict[LineKey, float] = defaultdict(float)
    work = ledgers.work_by_key()
    for key, count in ledgers.counts.items():
        owner, number, backward = key
        if owner != NOWHERE and not backward:
            place = timeline.places[owner]
            taken[(place.file, place.line)] += work.get(key, 0.0)  # on the CPU another one fills
            if number in zeros:
                calls[(place.file, place.line)] += count
    found = []
    for (file, line), count in sorted(calls.items()):
        parsed = source.parse(profile.sources.get(file, ""))
        place_at = parsed.place_at(line) if parsed else None
        named = place_at is not None and any(
            source.dotted_name(call.func).rpartition(".")[2] == "zero_grad"
            for call in source.calls(place_at.statement)
        )
        if named:
            found.append(ZeroFill((file, line), count, taken[(file, line)], adding_ms))
    return tuple(found)


def _backward_lines(timeline: Timeline, mapped: Recorded) -> tuple[LineKey, ...]:
    """Where the step's thread was when nodes ran."""
    ops, owned = mapped.recording.ops, mapped.owned
    assert ops is not None
    track = mapped.recording.tracks.get(timeline.step_thread)
    places = {
        track.place_at(ops.start[i])
        for i in owned.order
        if track is not None and ops.scope[i] == _BACKWARD_SCOPE
    }
    return tuple(
        sorted({(timeline.places[p].file, timeline.places[p].line) for p in places - {NOWHERE}})
    )
