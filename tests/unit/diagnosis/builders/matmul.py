"""Matrix products."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.matmul import MatmulFacts
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD


def matmul(**fields: Any) -> MatmulFacts:
    """20 of 30 ms in float32 products, none of them bound by memory."""
    values: dict[str, Any] = {
        "total_ms": 20.0,
        "float32_ms": 20.0,
        "memory_bound_ms": 0.0,
        "loop_line": (TARGET, FORWARD),
        "tf32": False,
    } | fields
    return MatmulFacts(**values)
