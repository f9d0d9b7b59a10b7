"""The process group and how DistributedDataParallel is set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder


def collect(agent: Agent, recorder: Recorder) -> dict[str, Any] | None:
    """None where no process group was made."""
    torch = recorder.torch
    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return None
    wrapper = torch.nn.parallel.DistributedDataParallel
    wrapped = [m for called in list(agent.models.modules) for m in called.modules()]
    models = list({id(m): m for m in wrapped if isinstance(m, wrapper)}.values())
    return {
        "backend": distributed.get_backend(),
        "size": distributed.get_world_size(),
        "models": [
            {
                "find_unused_parameters": bool(model.find_unused_parameters),
                "static_graph": bool(model.static_graph),
                "gradient_as_bucket_view": bool(model.gradient_as_bucket_view),
                "gradient_bytes": sum(
                    p.numel() * p.element_size() for p in model.parameters() if p.requires_grad
                ),
                **_logged(model),
            }
            for model in models
        ],
    }


def _logged(model: Any) -> dict[str, Any]:
    """What DDP itself counted; nothing on a torch that keeps no such data."""
    look = getattr(model, "_get_ddp_logging_data", None)
    data = look() if look is not None else {}
    buckets = data.get("rebuilt_bucket_sizes") or data.get("bucket_sizes") or ""
    return {
        "unused_bytes": data.get("unused_parameter_size"),
        "buckets": len(buckets.split(",")) if buckets else None,
    }
