"""Operators by type."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.precision import Precision, TypedWork
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD


def typed(number: int = FORWARD, **fields: Any) -> TypedWork:
    """A float32 product of 12 ms on line ``number``, bound by computing, 4 ms off its peak."""
    values: dict[str, Any] = {
        "line": (TARGET, number),
        "operator": "aten::mm",
        "dtypes": ("float32", "float32"),
        "shapes": ((512, 1024), (1024, 1024)),
        "ms": 12.0,
        "backward": False,
        "matmul": True,
        "regime": "compute",
        "headroom_ms": 4.0,
    } | fields
    return TypedWork(**values)


def half(number: int = FORWARD, **fields: Any) -> TypedWork:
    """The same in bfloat16."""
    return typed(number, **({"dtypes": ("bfloat16", "bfloat16")} | fields))


def cast(number: int = FORWARD, **fields: Any) -> TypedWork:
    """A conversion from float32 to bfloat16 that takes 6 ms."""
    values: dict[str, Any] = {
        "operator": "aten::copy_",
        "dtypes": ("bfloat16", "float32"),
        "ms": 6.0,
        "matmul": False,
        "regime": "memory",
    } | fields
    return typed(number, **values)


def precision(*work: TypedWork, **fields: Any) -> Precision:
    """A GPU that has TF32 and does not use it; no scaler."""
    values: dict[str, Any] = {"tensor_cores": True, "tf32": False, "scalers": 0} | fields
    return Precision(work=work, **values)
