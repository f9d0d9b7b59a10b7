"""The modules that were called: what mode they are in, how they lie in memory, who wraps them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder

_MAX_MODULES = 20_000


def collect(agent: Agent, recorder: Recorder) -> dict[str, Any]:
    """Looked up once, when all passes are done."""
    torch = recorder.torch
    nn = torch.nn
    modules = _modules(agent)
    weights = [_weight(torch, m) for m in modules if isinstance(m, nn.Conv2d)]
    convolutions = [weight for weight in weights if weight is not None]
    norms = nn.modules.batchnorm._BatchNorm
    drops = nn.modules.dropout._DropoutNd
    return {
        "training_dropouts": sum(isinstance(m, drops) and m.training and m.p > 0 for m in modules),
        "training_norms": sum(
            isinstance(m, norms) and m.training and m.track_running_stats for m in modules
        ),
        "convolutions": len(convolutions),
        "channels_last": sum(
            weight.is_contiguous(memory_format=torch.channels_last) and not weight.is_contiguous()
            for weight in convolutions
        ),
        "data_parallel": [
            len(m.device_ids)
            for m in modules
            if isinstance(m, nn.DataParallel)  # which moves to one device if there is but one
        ],
        "device_bytes": _bytes_by_device(torch, modules),
        "compiled": any(type(m).__name__ == "OptimizedModule" for m in modules)
        or _frames_compiled() > 0,
        "cudnn_benchmark": bool(torch.backends.cudnn.benchmark),
        "cudnn_deterministic": bool(torch.backends.cudnn.deterministic)
        or torch.are_deterministic_algorithms_enabled(),
        "accelerator_there": torch.cuda.is_available() and not agent.config["cpu"],
        "threads_asked_for": any(
            name in os.environ for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
        ),
    }


def _modules(agent: Agent) -> list[Any]:
    """All modules below those that were called, each once."""
    found: dict[int, Any] = {}
    for called in list(agent.models.modules):
        if id(called) in found:
            continue
        for module in called.modules():
            found.setdefault(id(module), module)
            if len(found) >= _MAX_MODULES:
                return list(found.values())
    return list(found.values())


def _weight(torch: Any, module: Any) -> Any:
    """The weight as it is kept: a parametrised one would be computed anew. None where it is."""
    weight = module._parameters.get("weight")
    if weight is None or torch.nn.parameter.is_lazy(weight) or weight.dim() != 4:
        return None
    return weight


def _bytes_by_device(torch: Any, modules: list[Any]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for module in modules:
        for parameter in module.parameters(recurse=False):
            if torch.nn.parameter.is_lazy(parameter):
                continue
            word = str(parameter.device)
            sizes[word] = sizes.get(word, 0) + parameter.numel() * parameter.element_size()
    return sizes


def _frames_compiled() -> int:
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
    return 0 if counters is None else int(counters["frames"]["ok"])
