"""The name of the model: the class, in the user's own words, of what is trained."""

from __future__ import annotations

from typing import Any

from .hooks import Models

# Packages whose modules stand for another one, and the attributes that hold it.
_WRAPPING = ("torch", "accelerate", "lightning", "pytorch_lightning", "deepspeed")
_WRAPPED = ("_orig_mod", "_original_module", "_forward_module", "module")


def model_name(torch: Any, models: Models) -> str:
    """The class of the model, empty where no module was called.

    A framework says what it trains. Otherwise it is the module, of those that were called, that
    holds most of what the optimizers hold; without optimizers, the one with most parameters.
    """
    trained = models.trained()
    if isinstance(trained, torch.nn.Module):
        return type(_unwrapped(torch, trained)).__name__
    held = {
        id(parameter)
        for optimizer in list(models.optimizers)
        for group in optimizer.param_groups
        for parameter in group["params"]
    }

    def weight(module: Any) -> tuple[int, int]:
        parameters = [id(parameter) for parameter in module.parameters()]
        return sum(parameter in held for parameter in parameters), len(parameters)

    modules = list(models.modules)
    if not modules:
        return ""
    return type(_unwrapped(torch, max(modules, key=weight))).__name__


def _unwrapped(torch: Any, module: Any) -> Any:
    """The module that a compiled, distributed or prepared one stands for."""
    while type(module).__module__.partition(".")[0] in _WRAPPING:
        inside = (getattr(module, name, None) for name in _WRAPPED)
        inner = next((each for each in inside if isinstance(each, torch.nn.Module)), None)
        if inner is None:
            break
        module = inner
    return module
