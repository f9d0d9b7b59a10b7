"""Groups of operators."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.patterns import (
    Attention,
    BiasedConvolution,
    Chain,
    Copies,
    Factory,
    MathAttention,
    Norm,
    Patterns,
)
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD

LINE = (TARGET, FORWARD)


def attention(ms: float, **fields: Any) -> Patterns:
    """Attention that spends ``ms`` between its two products."""
    values: dict[str, Any] = {
        "line": LINE,
        "between_ms": ms,
        "products_ms": 2.0,
        "per_step": 1.0,
        "own": True,
        "shape": "8x4x64x64",
    } | fields
    return Patterns(attention=(Attention(**values),))


def fallen_back(ms: float) -> Patterns:
    """Fused attention that was none."""
    made = MathAttention(LINE, ms, 1.0, "8x4x64x20", "float64", False)
    return Patterns(math_attention=(made,))


def norm(ms: float, kind: str = "layer") -> Patterns:
    """A normalisation in eight operators on two lines."""
    return Patterns(norms=(Norm(LINE, FORWARD + 1, kind, ms, 8),))


def chain(ms: float) -> Patterns:
    """Five elementwise operators."""
    return Patterns(chains=(Chain(LINE, "Net.forward", 5, ms, 1 << 20),))


def copies(ms: float, operator: str = "aten::matmul") -> Patterns:
    """Two copies per step below one operator."""
    return Patterns(copies=(Copies(LINE, operator, ms, 2.0),))


def factories(ms: float) -> Patterns:
    """A mask made twice per step."""
    return Patterns(factories=(Factory(LINE, "tril", ms, 2.0),))


def clip(norms: float, ms: float = 2.0) -> Patterns:
    """Norms of single gradients."""
    return Patterns(clip=(Factory(LINE, "norm", ms, norms),))


def biased(line: int, ms: float = 6.0, bias_ms: float | None = None) -> Patterns:
    """A convolution of 16 channels with a bias before a batch norm."""
    return Patterns(biased=(BiasedConvolution((TARGET, line), 16, 3, 3, ms, bias_ms),))
