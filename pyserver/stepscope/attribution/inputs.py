"""What an operator was given: shapes, types and some values, as the profiler wrote them down."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

SIZES = {
    "double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "long int": 8, "int": 4,
    "short int": 2, "signed char": 1, "unsigned char": 1, "bool": 1,
    "c10::complex<float>": 8, "c10::complex<double>": 16,
}  # fmt: skip
_WORDS = {
    "float": "float32", "double": "float64", "c10::Half": "float16", "c10::BFloat16": "bfloat16",
    "long int": "int64", "int": "int32", "unsigned char": "uint8", "signed char": "int8",
    "short int": "int16",
}  # fmt: skip
_HALF = ("c10::Half", "c10::BFloat16")


@dataclass(frozen=True, slots=True)
class Inputs:
    """One entry per argument. ``values`` holds those that are no tensors, where recorded."""

    shapes: tuple[Any, ...] = ()
    dtypes: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    _tensors: list[tuple[list[int], str]] | None = field(default=None, compare=False, repr=False)

    @property
    def half(self) -> bool:
        """Whether half-precision tensors are among them."""
        return any(dtype in _HALF for dtype in self.dtypes)

    def tensors(self) -> list[tuple[list[int], str]]:
        """(shape, dtype) of the arguments that are tensors of a known type."""
        if self._tensors is not None:
            return self._tensors
        return _tensors(self.shapes, self.dtypes)

    def describe(self) -> tuple[str, str]:
        """Tensor inputs for people: (``32x64, 64x64``, ``float32``)."""
        tensors = self.tensors()
        shapes = ["x".join(map(str, shape)) or "scalar" for shape, _ in tensors]
        types = dict.fromkeys(_WORDS.get(dtype, dtype) for _, dtype in tensors)
        return ", ".join(shapes), ", ".join(types)


def _tensors(shapes: tuple[Any, ...], dtypes: tuple[str, ...]) -> list[tuple[list[int], str]]:
    return [
        (shape, dtype)
        for shape, dtype in zip(shapes, dtypes, strict=False)
        if dtype in SIZES and _is_shape(shape)
    ]


@lru_cache(maxsize=1 << 14)
def parse_inputs(text: str) -> Inputs:
    """``[[32, 64], []]|float,Scalar`` with ``|[None, 1]`` where values follow.

    Unreadable text gives nothing.
    """
    shapes, _, rest = text.partition("|")
    dtypes, _, values = rest.partition("|")
    sides, types = _literal(shapes), tuple(dtypes.split(","))
    return Inputs(sides, types, _literal(values), _tensors(sides, types))


def _literal(text: str) -> tuple[Any, ...]:
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError):
        return ()
    return tuple(found) if isinstance(found, list) else ()


def bytes_of(kind: str, inputs: Inputs, allocated: int) -> float:
    """Bytes that an operator reads and writes: its tensor inputs, plus what it allocated.

    One that writes in place writes its first input as well.
    """
    sizes = [math.prod(shape) * SIZES[dtype] for shape, dtype in inputs.tensors()]
    written = sizes[0] if sizes and kind == "inplace" else 0
    return float(sum(sizes) + written + allocated)


def _is_shape(shape: object) -> bool:
    return isinstance(shape, list) and all(isinstance(side, int) for side in shape)
