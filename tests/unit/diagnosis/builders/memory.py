"""Memory of the device."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.memory import Memory, OptimizerMemory, Requests
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD

GB = 1_000_000_000


def optimizer(**fields: Any) -> OptimizerMemory:
    """Adam over 10 GB of parameters, made on the forward line."""
    values: dict[str, Any] = {
        "name": "Adam",
        "line": (TARGET, FORWARD),
        "foreach": False,
        "fused": False,
        "can_fuse": True,
        "parameter_bytes": 10 * GB,
        "state_bytes": 20 * GB,
    } | fields
    return OptimizerMemory(**values)


def requests(**fields: Any) -> Requests:
    """Two requests per step that take 4 ms."""
    values: dict[str, Any] = {"line": (TARGET, FORWARD), "calls": 2.0, "ms": 4.0} | fields
    return Requests(**values)


def memory(**fields: Any) -> Memory:
    """40 of 100 GB at the peak, and nothing to say about it."""
    values: dict[str, Any] = {
        "peak_bytes": 40 * GB,
        "device_bytes": 100 * GB,
        "reserved_bytes": 45 * GB,
        "growth_bytes": 0.0,
        "held": (),
        "old": (),
        "retries": 0.0,
        "requests": (),
        "optimizers": (),
    } | fields
    return Memory(**values)
