"""What the device can multiply in, and whether a gradient scaler is in use."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder

_AMPERE = (8, 0)
"""From this compute capability on NVIDIA's matrix units take TF32 and bfloat16."""


def collect(agent: Agent, recorder: Recorder) -> dict[str, Any]:
    """``tensor_cores``: whether the GPU has units for TF32 and bfloat16; None on the CPU.

    ``scalers``: gradient scalers that are switched on.
    """
    torch, device = recorder.torch, recorder.device
    able = None
    if device.type == "cuda":
        able = torch.version.hip is None and torch.cuda.get_device_capability(device) >= _AMPERE
    return {"tensor_cores": able, "scalers": _scalers()}


def _scalers() -> int:
    modules = ("torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler")
    loaded = (sys.modules.get(name) for name in modules)
    classes = {id(c): c for m in loaded if m and (c := getattr(m, "GradScaler", None))}
    known = tuple(classes.values())
    # type() instead of isinstance(): lazy proxies must not be woken up by a look at them.
    return sum(
        1 for one in gc.get_objects() if known and issubclass(type(one), known) and one.is_enabled()
    )
