"""How much memory the device has, and what the optimizers keep in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..memory import storage_of

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder


def collect(agent: Agent, recorder: Recorder) -> dict[str, Any]:
    """``device_bytes``: all memory of the GPU, None on the CPU; and every optimizer."""
    torch, device = recorder.torch, recorder.device
    total = None
    if device.type == "cuda":
        total = int(torch.cuda.get_device_properties(device).total_memory)
    return {
        "device_bytes": total,
        "optimizers": [_describe(one) for one in list(agent.models.optimizers)],
    }


def _describe(optimizer: Any) -> dict[str, Any]:
    """Class, whether a group asks for ``foreach`` or ``fused``, bytes of parameters and state."""
    groups = optimizer.param_groups
    parameters = [p for group in groups for p in group["params"]]
    state = [
        value
        for kept in optimizer.state.values()
        for value in (kept.values() if isinstance(kept, dict) else ())
        if hasattr(value, "untyped_storage")
    ]
    return {
        "class": type(optimizer).__name__,
        "foreach": any(bool(group.get("foreach")) for group in groups),
        "fused": any(bool(group.get("fused")) for group in groups),
        "can_fuse": all("fused" in group for group in groups),
        "parameter_bytes": _bytes(parameters),
        "state_bytes": _bytes(state),
    }


def _bytes(tensors: list[Any]) -> int:
    storages = (storage_of(tensor) for tensor in tensors)
    return sum(dict(found for found in storages if found is not None).values())
