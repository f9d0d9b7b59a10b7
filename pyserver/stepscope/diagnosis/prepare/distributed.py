"""DDP's settings, its own operators, and communication that nothing hides -> ``Distributed``."""

from __future__ import annotations

from collections import defaultdict

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.distributed import Distributed, Reduction, Replica
from stepscope.diagnosis.op_times import OpTimes, op_times
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE

_FORWARD = "DistributedDataParallel.forward"
_REDUCER = "torch.distributed.ddp.reducer::"
_COPIES = (f"{_REDUCER}copy_bucket_to_grad", "torch::distributed::reducer::mul_out")
_SEARCH = f"{_REDUCER}search_unused_parameters"
_COLLECTIVES = ("c10d::allreduce_", "c10d::reduce_", "c10d::allgather_", "c10d::broadcast_")


def prepare(attributed: Attributed) -> Distributed | None:
    """None where there is no process group."""
    told = attributed.ledgers.timeline.facts.get("evidence", {}).get("distributed")
    times = op_times(attributed) if told is not None else None
    if told is None or times is None:
        return None
    exposed_ms, exposed_line = _exposed(attributed)
    every = [*times.forward, *times.backward]
    return Distributed(
        backend=str(told["backend"]),
        size=told["size"],
        replicas=tuple(Replica(**model) for model in told["models"]),
        forwards=_forwards(attributed),
        reductions=sum(times.name[i] == "c10d::allreduce_" for i in times.backward) / times.steps,
        copies_ms=sum(times.total[i] for i in every if times.name[i] in _COPIES),
        search_ms=sum(times.total[i] for i in every if times.name[i] == _SEARCH),
        exposed_ms=exposed_ms,
        exposed_line=exposed_line,
        own=_own(attributed, times),
    )


def _forwards(attributed: Attributed) -> float:
    """Forward passes through DDP per step, by its own marks."""
    timeline, recording = attributed.ledgers.timeline, attributed.mapped.recording
    ops, steps = recording.ops, ordinary_steps(recording.bounds)
    assert ops is not None
    kind = timeline.kinds.index("annotation")
    marks = sum(
        ops.kind[i] == kind
        and timeline.strings[ops.name[i]] == _FORWARD
        and any(begin <= ops.start[i] < end for begin, end in steps)
        for i in range(len(ops))
    )
    return marks / max(1, len(steps))


def _exposed(attributed: Attributed) -> tuple[float | None, LineKey | None]:
    ledgers = attributed.ledgers
    device = ledgers.device
    if device is None:
        return None, None
    by_place: dict[int, float] = defaultdict(float)
    for (key, kind), ns in device.kinds.items():
        if kind == "communication":
            by_place[key[0]] += ns * ledgers.device_scale
    known = {place: ms for place, ms in by_place.items() if place != NOWHERE}
    if not known:
        return sum(by_place.values()), None
    most = ledgers.timeline.places[max(known, key=lambda place: known[place])]
    return sum(by_place.values()), (most.file, most.line)


def _own(attributed: Attributed, times: OpTimes) -> tuple[Reduction, ...]:
    """Collectives outside backward passes and DDP's own forward: those that a user line starts."""
    profile = attributed.profile
    host = {line.key: line.host_ms for line in profile.lines}
    counted: dict[LineKey, float] = defaultdict(float)
    for i in times.forward:
        line = times.line[i]
        if line is not None and times.name[i].startswith(_COLLECTIVES):
            text = profile.sources.get(line[0], "").splitlines()[line[1] - 1 : line[1]]
            if any("all_reduce" in part or "all_gather" in part for part in text):
                counted[line] += 1 / times.steps
    return tuple(
        Reduction(line, number, host.get(line, 0.0)) for line, number in sorted(counted.items())
    )
