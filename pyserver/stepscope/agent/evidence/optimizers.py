"""Optimizers as they are made: class, settings that choose an implementation, and the line."""

from __future__ import annotations

import importlib
import sys
import weakref
from typing import TYPE_CHECKING, Any

from ..standing_for import standing_for

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder

_sites: weakref.WeakKeyDictionary[Any, tuple[str, int]] = weakref.WeakKeyDictionary()


def install(agent: Agent, torch: Any) -> None:
    """Note the user line that makes each optimizer."""
    # torch.optim does not keep its submodule as an attribute.
    base: Any = importlib.import_module("torch.optim.optimizer").Optimizer
    make = base.__init__

    @standing_for(make)
    def make_optimizer(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        site = agent._site(sys._getframe(1))
        if site is not None:
            _sites[self] = site

    base.__init__ = make_optimizer


def collect(agent: Agent, recorder: Recorder) -> list[dict[str, Any]]:
    """Every optimizer that stepped."""
    return [_told(optimizer) for optimizer in list(agent.models.optimizers)]


def _told(optimizer: Any) -> dict[str, Any]:
    # The wrappers of frameworks hold the real one.
    inner = getattr(optimizer, "optimizer", optimizer)
    groups = inner.param_groups
    parameters = [parameter for group in groups for parameter in group["params"]]
    return {
        "name": type(inner).__name__,
        "of_torch": type(inner).__module__.startswith("torch.optim."),
        "construct": _sites.get(inner),
        "foreach": groups[0].get("foreach"),
        "fused": groups[0].get("fused"),
        "takes_foreach": all("foreach" in group for group in groups),
        "takes_fused": all("fused" in group for group in groups),
        "differentiable": any(group.get("differentiable") for group in groups),
        "parameters": len(parameters),
        "floating": all(parameter.dtype.is_floating_point for parameter in parameters),
        "dense": not any(
            parameter.grad is not None and parameter.grad.is_sparse for parameter in parameters
        ),
        "devices": sorted({parameter.device.type for parameter in parameters}),
    }
