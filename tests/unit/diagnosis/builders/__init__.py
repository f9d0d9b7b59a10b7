"""Builders of facts. Keyword arguments replace single fields, so a test names what it is about.

One module here per family of facts. What a test does not give was not measured.

The machine is a GPU beside eight cores, or two cores alone; the step takes 30 ms.
"""

from __future__ import annotations

from typing import Any

from stepscope.attribution.model import Breakdown, StepTime, Unattributed
from stepscope.diagnosis.facts import Facts, Machine
from tests.factories import line, line_of, profile

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


def facts(*given: object, busy_ms: float = 10.0, **fields: Any) -> Facts:
    """Facts of a 30 ms step in which the device is busy for ``busy_ms``.

    ``given`` are a ``Machine`` (or None: the GPU) and families; ``fields`` are the profile's.
    """
    machines = [one for one in given if isinstance(one, Machine)]
    families = tuple(one for one in given if one is not None and not isinstance(one, Machine))
    values: dict[str, Any] = {
        "lines": (line(FORWARD, busy_ms),),
        "step_ms": StepTime(STEP_MS, STEP_MS, STEP_MS),
        "unattributed": Unattributed(host_ms=0.0, work_ms=0.0, cost_ms=STEP_MS - busy_ms),
    } | fields
    made = profile(**values)
    return Facts(profile=made, machine=machines[0] if machines else gpu(), families=families)


def breakdown(**fields: float) -> Breakdown:
    """Shares of the step, all zero unless given."""
    names = ("compute", "memory", "overhead", "data", "copy", "sync", "communication", "idle")
    return Breakdown(**(dict.fromkeys((*names, "other"), 0.0) | fields))
