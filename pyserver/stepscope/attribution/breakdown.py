"""Each moment of the step by what bounded it; shares that sum to 1."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from stepscope.attribution.flops import is_matmul
from stepscope.attribution.model import Breakdown
from stepscope.attribution.regime import regime_of
from stepscope.attribution.work import OpKey
from stepscope.timeline.communication import COLLECTIVES

if TYPE_CHECKING:
    from stepscope.attribution.attribute import Ledgers

_COMMUNICATION = (*COLLECTIVES, "record_param_comms")


def processor_breakdown(ledgers: Ledgers) -> Breakdown:
    """On the CPU every moment belongs to the step's own thread.

    Inside a loader's ``__next__``: data. In an operator: that operator's regime. In Python on a
    line that launches operators: overhead. Python on other lines: other.
    """
    parts: dict[str, float] = defaultdict(float)
    waiting = {
        place: min(1.0, ms / ledgers.host[place])
        for place, ms in ledgers.data_wait.items()
        if ledgers.host.get(place)
    }
    work = ledgers.work_by_key()
    kinds = {key: _operator_kind(ledgers, key, ms) for key, ms in work.items()}
    launching = set()
    for (place, key), ms in ledgers.op_work.items():
        launching.add(place)
        data = waiting.get(place, 0.0)
        parts["data"] += ms * data
        parts[kinds[key]] += ms * (1 - data)
    for place, ms in ledgers.python.items():
        data = waiting.get(place, 0.0)
        parts["data"] += ms * data
        parts["overhead" if place in launching else "other"] += ms * (1 - data)
    return _shares(parts, ledgers.step_ms.median)


def accelerator_breakdown(ledgers: Ledgers) -> Breakdown:
    """Busy moments by what the device did, idle ones by what the host did meanwhile."""
    device = ledgers.device
    assert device is not None
    parts: dict[str, float] = defaultdict(float)
    work = ledgers.work_by_key()
    busy = 0.0
    for (key, kind), ns in device.kinds.items():
        ms = ns * ledgers.device_scale
        busy += ms
        if kind == "memcpy":
            parts["copy"] += ms
        elif kind == "communication":
            parts["communication"] += ms
        elif kind == "memset":
            parts["memory"] += ms
        else:
            regime = _kernel_kind(ledgers, key, work[key])
            # A kernel that is running is no overhead: small ones are bound by memory latency.
            parts["memory" if regime == "overhead" else regime] += ms
    idle = max(0.0, ledgers.step_ms.median - busy)
    known = sum(device.idle_kind.values())
    for name, ns in device.idle_kind.items():
        parts[name] += idle * ns / known if known else 0.0
    if not known:
        parts["idle"] += idle
    return _shares(parts, ledgers.step_ms.median)


def _operator_kind(ledgers: Ledgers, key: OpKey, work_ms: float) -> str:
    """What bounds an operator. Where no sizes at all were recorded its kind has to tell."""
    name = ledgers.timeline.strings[key[1]]
    if ledgers.efforts.by_key or not name.startswith("aten::"):
        return _kind(ledgers, key, work_ms)
    return "compute" if is_matmul(name) or name == "aten::linear" else "memory"


def _kernel_kind(ledgers: Ledgers, key: OpKey, work_ms: float) -> str:
    """What bounds a kernel. A product of matrices whose size nobody recorded computes."""
    effort = ledgers.efforts.by_key.get(key)
    if (effort is None or not effort.flops) and is_matmul(ledgers.timeline.strings[key[1]]):
        return "compute"
    return _kind(ledgers, key, work_ms)


def _kind(ledgers: Ledgers, key: OpKey, work_ms: float) -> str:
    name = ledgers.timeline.strings[key[1]]
    if name.startswith(_COMMUNICATION):
        return "communication"
    effort = ledgers.efforts.by_key.get(key)
    if effort is not None:
        regime, _ = regime_of(effort, work_ms, ledgers.peaks)
        if regime is not None:
            return regime
    # Views, dispatchers and the autograd engine do no work of their own on the data.
    return "overhead"


def _shares(parts: dict[str, float], step_ms: float) -> Breakdown:
    total = sum(parts.values()) or step_ms or 1.0

    def share(name: str) -> float:
        return parts.get(name, 0.0) / total

    return Breakdown(
        compute=share("compute"),
        memory=share("memory"),
        overhead=share("overhead"),
        data=share("data"),
        copy=share("copy"),
        sync=share("sync"),
        communication=share("communication"),
        idle=share("idle"),
        other=share("other"),
    )
