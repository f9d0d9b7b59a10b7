"""Floating-point operations of matrix products, convolutions and attention, from their shapes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from stepscope.attribution.inputs import Inputs

CONVOLUTION = "aten::convolution"
"""The dispatcher of every convolution, the one whose arguments tell all about it."""
_DISPATCHERS = ("aten::conv", "aten::_convolution")

Shapes = tuple[Any, ...]


def is_matmul(name: str) -> bool:
    """Whether the operator itself is a matrix product, a convolution or fused attention."""
    return name in _FORMULAS or is_convolution(name)


def is_convolution(name: str) -> bool:
    """Whether the operator is the device's own convolution, below the dispatchers."""
    return "conv" in name and not name.startswith(_DISPATCHERS)


def flops_of(name: str, inputs: Inputs) -> float:
    """Floating-point operations of a matrix product or attention, 0 for any other operator."""
    formula = _FORMULAS.get(name)
    try:
        return float(formula(inputs)) if formula is not None else 0.0
    except (IndexError, TypeError, ValueError, ZeroDivisionError):
        return 0.0


def convolution_flops(inputs: Inputs) -> float:
    """Of ``aten::convolution``: input, weight, bias, stride, padding, dilation, transposed."""
    try:
        return _products(inputs.shapes[0], inputs.shapes[1], *inputs.values[3:7])
    except (IndexError, TypeError, ValueError, ZeroDivisionError):
        return 0.0


def _products(
    source: list[int],
    weight: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
) -> float:
    """Multiply-adds, times two. Groups show in the weight, whose second side they divide.

    A transposed convolution multiplies each input value with a kernel of outputs, an ordinary one
    each output value with a kernel of inputs.
    """
    if transposed:
        return 2.0 * math.prod(source) * math.prod(weight[1:])
    outputs = source[0] * weight[0]
    for side, kernel, step, edge, spread in zip(
        source[2:], weight[2:], stride, padding, dilation, strict=True
    ):
        outputs *= (side + 2 * edge - spread * (kernel - 1) - 1) // step + 1
    return 2.0 * outputs * math.prod(weight[1:])


def _convolution_backward(inputs: Inputs) -> float:
    """grad_output, input, weight, ...: one product per gradient that was asked for."""
    gradient, source, weight = inputs.shapes[:3]
    transposed = inputs.values[7]
    wanted = inputs.values[-1]
    one: float = 2.0 * math.prod(source if transposed else gradient) * math.prod(weight[1:])
    return one * (bool(wanted[0]) + bool(wanted[1]))


def _mm(left: list[int], right: list[int]) -> float:
    (n, k), (_, m) = left, right
    return 2.0 * n * k * m


def _bmm(left: list[int], right: list[int]) -> float:
    batch, n, k = left
    return 2.0 * batch * n * k * right[2]


def _attention(query: list[int], key: list[int], value: list[int]) -> float:
    *batch, queries, width = query
    return 2.0 * math.prod(batch) * queries * key[-2] * (width + value[-1])


def _attention_forward(inputs: Inputs) -> float:
    return _attention(*inputs.shapes[:3])


def _attention_backward(inputs: Inputs) -> float:
    # Five products instead of two, the scores being computed again.
    return 2.5 * _attention(*inputs.shapes[1:4])


_FORMULAS: dict[str, Callable[[Inputs], float]] = {
    "aten::mm": lambda inputs: _mm(*inputs.shapes[:2]),
    "aten::addmm": lambda inputs: _mm(*inputs.shapes[1:3]),
    "aten::bmm": lambda inputs: _bmm(*inputs.shapes[:2]),
    "aten::baddbmm": lambda inputs: _bmm(*inputs.shapes[1:3]),
    "aten::convolution_backward": _convolution_backward,
    "aten::_scaled_dot_product_flash_attention_for_cpu": _attention_forward,
    "aten::_scaled_dot_product_flash_attention": _attention_forward,
    "aten::_scaled_dot_product_efficient_attention": _attention_forward,
    "aten::_scaled_dot_product_cudnn_attention": _attention_forward,
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _attention_backward,
    "aten::_scaled_dot_product_flash_attention_backward": _attention_backward,
    "aten::_scaled_dot_product_efficient_attention_backward": _attention_backward,
    "aten::_scaled_dot_product_cudnn_attention_backward": _attention_backward,
}
