"""Builders of facts. Keyword arguments replace single fields, so a test names what it is about.

The machine is a GPU beside eight cores, or two cores alone; the step takes 30 ms.
"""

from __future__ import annotations

from typing import Any

from stepscope.attribution.model import Breakdown, StepTime, Unattributed
from stepscope.diagnosis.facts import Facts, LoaderFacts, Machine, MatmulFacts, SyncFacts
from tests.factories import TARGET, line, line_of, profile

STEP_MS = 30.0
LOOP = line_of("for x in loader")
FORWARD = line_of("net(x).mean()")
PRINT = line_of("loss.item()")


def gpu(**fields: Any) -> Machine:
    """A device four times as fast in bfloat16 as in float32."""
    values: dict[str, Any] = {
        "device": "cuda",
        "device_name": "NVIDIA H200",
        "cores": 8,
        "threads": 8,
        "float32_peak": 50e12,
        "bfloat16_peak": 200e12,
        "peaks_source": "measured",
    } | fields
    return Machine(**values)


def cpu(**fields: Any) -> Machine:
    """A processor that gains nothing from bfloat16."""
    values: dict[str, Any] = {
        "device": "cpu",
        "device_name": "AMD EPYC",
        "cores": 2,
        "threads": 2,
        "float32_peak": 80e9,
        "bfloat16_peak": 10e9,
    } | fields
    return gpu(**values)


def loader(**fields: Any) -> LoaderFacts:
    """A loader without workers that the 30 ms step waits 15 ms for."""
    values: dict[str, Any] = {
        "construct": (TARGET, FORWARD),
        "loop": (TARGET, LOOP),
        "num_workers": 0,
        "batch_size": 32,
        "wait_ms": 15.0,
        "fetch_cpu_ms": 15.0,
        "batches_per_step": 1.0,
    } | fields
    return LoaderFacts(**values)


def matmul(**fields: Any) -> MatmulFacts:
    """20 of 30 ms in float32 products, none of them bound by memory."""
    values: dict[str, Any] = {
        "total_ms": 20.0,
        "float32_ms": 20.0,
        "memory_bound_ms": 0.0,
        "loop_line": (TARGET, FORWARD),
        "tf32": False,
    } | fields
    return MatmulFacts(**values)


def sync(**fields: Any) -> SyncFacts:
    """``print(loss.item())`` in each step, which waits for 6 ms."""
    values: dict[str, Any] = {
        "line": (TARGET, PRINT),
        "kind": "item",
        "per_step": 1.0,
        "wait_ms": 6.0,
    } | fields
    return SyncFacts(**values)


def facts(machine: Machine | None = None, busy_ms: float = 10.0, **fields: Any) -> Facts:
    """Nothing to find, in a 30 ms step in which the device is busy for ``busy_ms``."""
    profile_fields = {
        name: fields.pop(name) for name in ("breakdown", "sources", "run") if name in fields
    }
    made = profile(
        lines=(line(FORWARD, busy_ms),),
        step_ms=StepTime(STEP_MS, STEP_MS, STEP_MS),
        unattributed=Unattributed(host_ms=0.0, work_ms=0.0, cost_ms=STEP_MS - busy_ms),
        **profile_fields,
    )
    values: dict[str, Any] = {"loaders": (), "matmul": None, "syncs": ()} | fields
    return Facts(profile=made, machine=machine or gpu(), **values)


def breakdown(**fields: float) -> Breakdown:
    """Shares of the step, all zero unless given."""
    names = ("compute", "memory", "overhead", "data", "copy", "sync", "communication", "idle")
    return Breakdown(**(dict.fromkeys((*names, "other"), 0.0) | fields))
