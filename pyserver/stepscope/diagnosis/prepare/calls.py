"""The mapped recording -> ``Calls``: operators by the outermost one around them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.host import thread_fetches
from stepscope.attribution.launches import ON_DEVICE, Launches
from stepscope.diagnosis.facts.calls import Call, Calls, Copies
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Ops, Timeline

_DIRECTIONS = ("HtoD", "DtoH", "DtoD")
_SYNC = "Synchronize"

Group = tuple[int, int, bool]
"""(place, name of the outermost operator, while loading)."""


@dataclass(slots=True)
class _Sum:
    """What is added up for one group, ns over all steps."""

    calls: int = 0
    host: int = 0
    device: int = 0
    blocked: int = 0
    inner: set[int] = field(default_factory=set)
    copies: dict[tuple[str, bool | None], list[int]] = field(default_factory=dict)


def prepare(attributed: Attributed) -> Calls | None:
    """None where no operator was recorded."""
    return attributed.once("calls", _prepare)


def _prepare(attributed: Attributed) -> Calls | None:
    timeline, ledgers = attributed.ledgers.timeline, attributed.ledgers
    recording, owned = attributed.mapped.recording, attributed.mapped.owned
    ops = recording.ops
    if not ops:
        return None
    steps = ordinary_steps(recording.bounds)
    starts = [begin for begin, _ in steps]
    fetches = thread_fetches(timeline.fetches, timeline.step_thread)
    fetch_starts = [begin for begin, _ in fetches]

    def inside(time: int, edges: list[int], spans: list[tuple[int, int]]) -> bool:
        index = bisect_right(edges, time) - 1
        return index >= 0 and time < spans[index][1]

    roots: dict[int, int] = {}  # operator -> outermost one
    groups: dict[int, Group] = {}  # outermost operator -> its group
    sums: dict[Group, _Sum] = defaultdict(_Sum)
    for i in owned.order:
        above = owned.parent[i]
        root = roots[i] = i if above < 0 else roots[above]
        if owned.backward[i] or owned.owner[root] == NOWHERE:
            continue
        if root == i:
            if not inside(ops.start[i], starts, steps):
                continue
            loading = inside(ops.start[i], fetch_starts, fetches)
            group = groups[i] = (owned.owner[i], ops.name[i], loading)
            entry = sums[group]
            entry.calls += 1
            if ops.native[i] == timeline.step_thread:
                entry.host += ops.duration[i]
        elif root in groups:
            sums[groups[root]].inner.add(ops.name[i])
    _add_device(timeline, ops, attributed.launches, roots, groups, sums)
    # Host times as shares of the recording, which the profiler made longer than the clean step.
    span = sum(end - begin for begin, end in steps)
    to_host = ledgers.step_ms.median / span if span else 0.0
    return Calls(
        tuple(
            _call(attributed, group, entry, to_host, max(1, len(steps)))
            for group, entry in sums.items()
        )
    )


def _add_device(
    timeline: Timeline,
    ops: Ops,
    launches: Launches,
    roots: dict[int, int],
    groups: dict[int, Group],
    sums: dict[Group, _Sum],
) -> None:
    """Device work and waits, through the operator that each was made for."""
    kinds = timeline.kinds
    work = {kinds.index(word) for word in ON_DEVICE}
    runtime_kind, copy_kind = kinds.index("runtime"), kinds.index("memcpy")
    for i in range(len(ops)):
        kind = ops.kind[i]
        if kind not in work and kind != runtime_kind:
            continue
        group = groups.get(roots.get(launches.operator(i), -1))
        if group is None:
            continue
        entry = sums[group]
        if kind in work:
            entry.device += ops.duration[i]
            if kind == copy_kind:
                key = _kind_of_copy(timeline.strings[ops.name[i]])
                count = entry.copies.setdefault(key, [0, 0])
                count[0] += 1
                count[1] += ops.duration[i]
        elif (
            timeline.strings[ops.name[i]].endswith(_SYNC) and ops.native[i] == timeline.step_thread
        ):
            entry.blocked += ops.duration[i]


def _kind_of_copy(name: str) -> tuple[str, bool | None]:
    direction = next((word for word in _DIRECTIONS if word in name), "")
    if "Pageable" in name:
        return direction, True
    return direction, False if "Pinned" in name else None


def _call(attributed: Attributed, group: Group, entry: _Sum, to_host: float, steps: int) -> Call:
    ledgers = attributed.ledgers
    timeline = ledgers.timeline
    place, name, loading = group
    where = timeline.places[place]
    accelerated = ledgers.device is not None
    shapes, dtypes = ledgers.efforts.shapes.get((place, name, False), ("", ""))
    return Call(
        line=(where.file, where.line),
        name=timeline.strings[name],
        per_step=entry.calls / steps,
        host_ms=entry.host * to_host,
        device_ms=entry.device * 1e-6 / steps if accelerated else None,
        blocked_ms=entry.blocked * 1e-6 / steps if accelerated else None,
        inner=frozenset(timeline.strings[number] for number in entry.inner),
        copies=tuple(
            Copies(direction, pageable, count / steps, ns * 1e-6 / steps)
            for (direction, pageable), (count, ns) in sorted(
                entry.copies.items(), key=lambda item: str(item[0])
            )
        ),
        loading=loading,
        shapes=shapes,
        dtypes=dtypes,
    )
