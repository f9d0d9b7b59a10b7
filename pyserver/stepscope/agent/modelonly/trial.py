"""Making a model and calling it: on the meta device, where nothing is computed, then for real."""

from __future__ import annotations

import argparse
import contextlib
import functools
import inspect
import math
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .inputs import Inputs

FAILURES = (Exception, SystemExit)  # what user code may raise at us, short of an interrupt
_META_CANNOT = ("meta", "data-dependent", "item()", "numpy")


@dataclass(frozen=True)
class Made:
    """A model, and the values that its constructor was called with."""

    model: Any
    bound: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One real pass. ``seconds`` of forward and backward; ``backward`` whether there was one."""

    seconds: float
    backward: bool


class Trial:
    """Evaluates expressions among the names of one file, and then those ``around`` it."""

    def __init__(self, torch: Any, module: types.ModuleType, around: dict[str, Any]) -> None:
        self.torch = torch
        self._caches = [
            v for v in vars(module).values() if type(v).__name__ == "_lru_cache_wrapper"
        ]
        self.names: dict[str, Any] = (
            around
            | {
                "torch": torch,
                "nn": torch.nn,
                "F": torch.nn.functional,
                "math": math,
                "partial": functools.partial,
                "functools": functools,
                "Namespace": argparse.Namespace,
                "SimpleNamespace": types.SimpleNamespace,
            }
            | vars(module)
        )

    def make(self, text: str, made: Any, device: str) -> Made:
        """Evaluate a constructor. Raises what it raises; TypeError if it makes no module."""
        with _noting(made) as bound, self.torch.device(device):
            model = eval(text, dict(self.names))
        if not isinstance(model, self.torch.nn.Module):
            raise TypeError(f"{text} is no torch.nn.Module")
        return Made(model, bound)

    def arguments(
        self, inputs: Inputs, batch: int | None, device: str
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of one call, with ``batch`` samples."""
        names = {**self.names, "_stepscope_arguments": lambda *args, **kwargs: (args, kwargs)}
        with self.torch.device(device):
            found: tuple[tuple[Any, ...], dict[str, Any]] = eval(
                f"_stepscope_arguments({inputs.text(batch)})", names
            )
        return found

    def on_meta(self, model: Any, inputs: Inputs, batch: int) -> None:
        """Shapes only. Raises what forward raises."""
        # Made here and moved: random numbers on the meta device cost seconds of imports.
        args, kwargs = self.arguments(inputs, batch, "cpu")
        args, kwargs = _moved(self.torch, args, "meta"), _moved(self.torch, kwargs, "meta")
        try:
            with self.torch.device("meta"):
                model(*args, **kwargs)
        finally:
            # A table that a cached function has made meanwhile holds no numbers.
            for held in self._caches:
                held.cache_clear()

    def is_uncertain(self, error: BaseException) -> bool:
        """Whether the meta device is to blame rather than the shapes."""
        text = str(error).lower()
        return isinstance(error, NotImplementedError) or any(w in text for w in _META_CANNOT)

    def step(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Step:
        """One forward and, where the output depends on parameters, backward."""
        begin = time.perf_counter()
        clear_gradients(model)
        loss = loss_of(self.torch, model(*args, **kwargs))
        if loss is not None:
            loss.backward()
        if any(p.device.type == "cuda" for p in model.parameters()):
            self.torch.cuda.synchronize()
        return Step(time.perf_counter() - begin, loss is not None)


def _moved(torch: Any, value: Any, device: str) -> Any:
    """Every tensor in it on the device; containers are made anew, but for objects of classes."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if type(value) in (list, tuple):
        return type(value)(_moved(torch, inner, device) for inner in value)
    if isinstance(value, dict):
        return {key: _moved(torch, inner, device) for key, inner in value.items()}
    if hasattr(value, "__dict__") and not callable(value):
        for key, inner in vars(value).items():
            with contextlib.suppress(AttributeError):  # a frozen dataclass
                setattr(value, key, _moved(torch, inner, device))
    return value


def clear_gradients(model: Any) -> None:
    """As ``zero_grad(set_to_none=True)`` does, which a model may have replaced by its own."""
    for parameter in model.parameters():
        parameter.grad = None


def loss_of(torch: Any, output: Any) -> Any:
    """The sum of the means of every output that a gradient can go through; None without one."""
    total = None
    for tensor in _tensors(torch, output, 0):
        if not tensor.requires_grad or tensor.numel() == 0:
            continue
        if tensor.is_complex():
            tensor = tensor.abs()
        mean = tensor.float().mean()
        total = mean if total is None else total + mean
    return total


def _tensors(torch: Any, output: Any, depth: int) -> Iterator[Any]:
    if isinstance(output, torch.Tensor):
        yield output
    elif isinstance(output, dict):
        for value in output.values():
            yield from _tensors(torch, value, depth + 1)
    elif isinstance(output, (list, tuple)):
        for value in output:
            yield from _tensors(torch, value, depth + 1)
    elif depth < 3 and hasattr(output, "__dict__") and not isinstance(output, torch.nn.Module):
        if isinstance(output, torch.distributions.Distribution):
            for name in ("loc", "scale", "logits"):
                yield from _tensors(torch, getattr(output, name, None), depth + 1)
        else:
            yield from _tensors(torch, vars(output), depth + 1)


@contextlib.contextmanager
def _noting(made: Any) -> Iterator[dict[str, Any]]:
    """The values that the first call of the class's ``__init__`` gets, defaults among them."""
    bound: dict[str, Any] = {}
    original = made.__init__
    own = "__init__" in vars(made)

    @functools.wraps(original)
    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        if not bound and type(self) is made:
            with contextlib.suppress(TypeError, ValueError):
                given = inspect.signature(original).bind(self, *args, **kwargs)
                given.apply_defaults()
                for name, value in list(given.arguments.items())[1:]:
                    inner = name == "kwargs" and isinstance(value, dict)
                    bound.update(value if inner else {name: value})
        original(self, *args, **kwargs)

    made.__init__ = noting
    try:
        yield bound
    finally:
        if own:
            made.__init__ = original
        else:
            del made.__init__
