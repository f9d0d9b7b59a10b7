"""Ledgers by place -> costs by line."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepscope.attribution.model import (
    Categories,
    LineCost,
    LineKey,
    OpCost,
    Unattributed,
    Waits,
)
from stepscope.attribution.regime import Effort, add_up, regime_of
from stepscope.attribution.work import OpKey
from stepscope.timeline.model import NOWHERE, Recording

if TYPE_CHECKING:
    from stepscope.attribution.attribute import Ledgers

_TOP_OPS = 6


@dataclass(slots=True)
class _Sum:
    """What is added up for one line, or for what has no line. Times in ms per step."""

    functions: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    exact: bool = True
    calls: float = 0.0
    cost: float = 0.0
    host: float = 0.0
    forward: float = 0.0
    backward: float = 0.0
    idle: float = 0.0
    data: float = 0.0
    sync: float = 0.0
    copy: float = 0.0
    allocated: int = 0
    live: list[Categories] = field(default_factory=list)
    held: int = 0  # live at the peak, where it is not known what for
    efforts: list[Effort] = field(default_factory=list)
    launches: float = 0.0
    worker_ms: float = 0.0
    worker_calls: float = 0.0
    in_worker: bool = False
    ops: dict[tuple[int, bool], float] = field(default_factory=lambda: defaultdict(float))
    keys: dict[tuple[int, bool], list[OpKey]] = field(default_factory=lambda: defaultdict(list))


def build_lines(ledgers: Ledgers, mapped: Recording) -> tuple[tuple[LineCost, ...], Unattributed]:
    """One ``LineCost`` per executing line, by file and line, and what has none."""
    sums: dict[LineKey | None, _Sum] = defaultdict(_Sum)
    places = ledgers.timeline.places
    keys: list[LineKey] = [(place.file, place.line) for place in places]

    def at(place: int) -> _Sum:
        return sums[keys[place]] if place != NOWHERE else sums[None]

    _add_host(ledgers, at)
    _add_work(ledgers, at)
    _add_memory(ledgers, at)
    for place_number, share in ledgers.workers.items():
        entry = at(place_number)
        entry.in_worker = True
        entry.worker_ms += share.ms
        entry.worker_calls += share.calls
    for number, place in enumerate(places):
        if keys[number] in sums:
            entry = sums[keys[number]]
            entry.functions[place.function] += ledgers.host.get(number, 0.0)
            # A recorded stack knows the line of a function's def and no other.
            if mapped.from_trace or (place.file, place.function) in mapped.bounded:
                entry.exact = False
    nowhere = sums.pop(None, _Sum())
    lines = tuple(
        _line(ledgers, key, sums[key]) for key in sorted(k for k in sums if k is not None)
    )
    return lines, Unattributed(
        nowhere.host, nowhere.forward + nowhere.backward, nowhere.cost, _ops(ledgers, nowhere)
    )


def _add_host(ledgers: Ledgers, at) -> None:  # type: ignore[no-untyped-def]
    for place, ms in ledgers.host.items():
        at(place).host += ms
    for place, number in ledgers.calls.items():
        at(place).calls += number
    for place, ms in ledgers.data_wait.items():
        at(place).data += ms
    device = ledgers.device
    if device is None:
        return
    for place, ns in device.waits.sync.items():
        at(place).sync += ns * 1e-6 / max(1, device.steps)
    for place, ns in device.waits.copy.items():
        at(place).copy += ns * 1e-6 / max(1, device.steps)


def _add_work(ledgers: Ledgers, at) -> None:  # type: ignore[no-untyped-def]
    def charge(key: OpKey, ms: float) -> None:
        owner, name, backward = key
        entry = at(owner)
        if backward:
            entry.backward += ms
        else:
            entry.forward += ms
        entry.ops[(name, backward)] += ms
        entry.keys[(name, backward)].append(key)

    device = ledgers.device
    if device is None:
        for (_, key), ms in ledgers.op_work.items():
            charge(key, ms)
            at(key[0]).cost += ms
        for place, ms in ledgers.python.items():
            at(place).cost += ms
        for key, ms in ledgers.other_work.items():
            charge(key, ms)  # beside the step's thread: work, but no part of its time
    else:
        busy = 0.0
        for key, ns in device.busy.items():
            ms = ns * ledgers.device_scale
            charge(key, ms)
            at(key[0]).cost += ms
            busy += ms
        for key, number in device.launches.items():
            at(key[0]).launches += number / max(1, device.steps)
        _add_idle(ledgers, at, busy)
    for key, effort in ledgers.efforts.by_key.items():
        at(key[0]).efforts.append(effort)


def _add_idle(ledgers: Ledgers, at, busy: float) -> None:  # type: ignore[no-untyped-def]
    """The step's time in which the device had nothing to do, as the gaps were shared out."""
    device = ledgers.device
    assert device is not None
    idle = max(0.0, ledgers.step_ms.median - busy)
    known = sum(device.idle.values())
    if not known:
        at(NOWHERE).cost += idle
        at(NOWHERE).idle += idle
        return
    for place, ns in device.idle.items():
        ms = idle * ns / known
        at(place).cost += ms
        at(place).idle += ms


def _add_memory(ledgers: Ledgers, at) -> None:  # type: ignore[no-untyped-def]
    memory = ledgers.memory
    if memory is None:
        return
    for place, size in memory.allocated.items():
        at(place).allocated += size
    for place, categories in memory.by_place.items():
        at(place).live.append(categories)
    for place, size in (memory.live or {}).items():
        at(place).held += size


def _line(ledgers: Ledgers, key: LineKey, entry: _Sum) -> LineCost:
    device = ledgers.device
    effort = add_up(entry.efforts)
    work = entry.forward + entry.backward
    regime, headroom = regime_of(effort, work, ledgers.peaks)
    detailed = bool(ledgers.efforts.by_key)
    live = _join(entry.live)
    # The recording that shows waits has the profiler in it, the one that shows host time has not.
    sync = min(entry.sync, max(0.0, entry.host - entry.data))
    copy = min(entry.copy, max(0.0, entry.host - entry.data - sync))
    memory = ledgers.memory
    measured = memory is not None
    told = memory is not None and memory.categories is not None
    held = entry.held if memory is not None and memory.live is not None else None
    launches = entry.launches if device else (effort.launches if detailed else None)
    return LineCost(
        file=key[0],
        line=key[1],
        function=max(entry.functions, key=lambda f: entry.functions[f], default=""),
        calls=entry.calls,
        cost_ms=entry.cost,
        host_ms=entry.host,
        work_ms=work,
        forward_ms=entry.forward,
        backward_ms=entry.backward,
        device_idle_ms=entry.idle if device else None,
        wait_ms=Waits(
            data=entry.data,
            sync=sync if device else None,
            copy=copy if device else None,
        ),
        allocated_bytes=entry.allocated if measured else None,
        live_at_peak_bytes=live.total if told else held,
        categories=live if told else None,
        flops=effort.flops if detailed else None,
        bytes_moved=effort.moved if detailed else None,
        launches=launches,
        regime=regime if work else None,
        headroom_ms=headroom if work else None,
        worker_ms=entry.worker_ms if entry.in_worker else None,
        worker_calls=entry.worker_calls if entry.in_worker else None,
        exact=entry.exact,
        ops=_ops(ledgers, entry),
    )


def _join(parts: list[Categories]) -> Categories:
    return Categories(
        sum(part.parameter for part in parts),
        sum(part.gradient for part in parts),
        sum(part.optimizer for part in parts),
        sum(part.activation for part in parts),
        sum(part.input for part in parts),
        sum(part.temporary for part in parts),
    )


def _ops(ledgers: Ledgers, entry: _Sum) -> tuple[OpCost, ...]:
    """The operators that cost most, forward and backward apart."""
    top = sorted(entry.ops.items(), key=lambda item: -item[1])[:_TOP_OPS]
    found = []
    for (name, backward), ms in top:
        keys = dict.fromkeys(entry.keys[(name, backward)])
        shapes = next(
            (ledgers.efforts.shapes[k] for k in keys if k in ledgers.efforts.shapes), (None, None)
        )
        found.append(
            OpCost(
                name=ledgers.timeline.strings[name],
                calls=sum(ledgers.counts.get(k, 0.0) for k in keys),
                work_ms=ms,
                shapes=shapes[0],
                dtypes=shapes[1],
                backward=backward,
            )
        )
    return tuple(found)
