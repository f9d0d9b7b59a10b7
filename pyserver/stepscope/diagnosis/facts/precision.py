"""What the step computes in which precision.

Times are ms per step; lines are 1-based; paths absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey

FLOATS = ("float64", "float32", "float16", "bfloat16")
HALVES = ("float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class TypedWork:
    """Operators of one name and the same inputs that one line caused (``line``: by cause).

    ``dtypes`` and ``shapes`` are those of the tensors given, in order. ``regime`` is what bounds
    the operator on that line ("compute", "memory", "overhead"), None where it is not known;
    ``headroom_ms`` what it takes beyond that bound. ``matmul``: a matrix product.
    """

    line: LineKey
    operator: str
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    ms: float
    backward: bool
    matmul: bool
    regime: str | None
    headroom_ms: float | None


@dataclass(frozen=True, slots=True)
class Precision:
    """Operators on floating-point numbers.

    ``tensor_cores``: whether the device has matrix units for TF32 and bfloat16, None on the CPU and
    where that is not known. ``tf32``: whether float32 products use them, None on the CPU.
    ``scalers``: gradient scalers that are switched on.
    """

    work: tuple[TypedWork, ...]
    tensor_cores: bool | None
    tf32: bool | None
    scalers: int
