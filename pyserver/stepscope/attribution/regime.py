"""FLOPs, bytes and launches per line, and which of the three bounds it.

A line's work takes at least the time that its FLOPs need at the device's peak, that its bytes need
at the device's bandwidth, and that its launches need on the host. The largest of the three names
the regime; what the line took beyond it is its headroom (Williams et al., "Roofline", 2009, with
launches added).
"""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stepscope.attribution.owners import Owned
from stepscope.attribution.work import OpKey
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import Recording, Timeline

_SIZES = {
    "double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "long int": 8, "int": 4,
    "short int": 2, "signed char": 1, "unsigned char": 1, "bool": 1,
    "c10::complex<float>": 8, "c10::complex<double>": 16,
}  # fmt: skip
_HALF = ("c10::Half", "c10::BFloat16")
# An operator whose own code is the larger part of its time does the work itself; one that only
# dispatches to others does not.
_OWN_SHARE = 0.5

Shapes = list[Any]


@dataclass(slots=True)
class Effort:
    """What a group of operators did in one step."""

    flops: float = 0.0
    half_flops: float = 0.0  # the part done in half precision
    moved: float = 0.0  # bytes read and written
    launches: float = 0.0
    matmul: bool = False


@dataclass(slots=True)
class Efforts:
    """Per op key, with the shapes that were seen first."""

    by_key: dict[OpKey, Effort] = field(default_factory=dict)
    shapes: dict[OpKey, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Peaks:
    """The device at its best: FLOP/s, bytes/s, ns per launch. None where not known."""

    float32: float | None
    half: float | None
    bandwidth: float | None
    launch_ns: float | None
    source: str


def efforts(
    timeline: Timeline, recording: Recording, owned: Owned, allocated: dict[int, int]
) -> Efforts:
    """Add up the detail recording. ``allocated`` is bytes per operator index."""
    ops = recording.ops
    assert ops is not None
    schemas: dict[str, str] = timeline.facts["schemas"]
    steps = ordinary_steps(recording.bounds)
    begin = steps[0][0] if steps else 0
    end = steps[-1][1] if steps else 0
    count = max(1, len(steps))
    parsed: dict[int, tuple[Shapes, list[str]]] = {}
    result = Efforts()
    sums: dict[OpKey, Effort] = defaultdict(Effort)
    for i in owned.order:
        if not begin <= ops.start[i] < end:
            continue
        name = timeline.strings[ops.name[i]]
        kind = schemas.get(name)
        key = (owned.owner[i], ops.name[i], owned.backward[i])
        text = ops.inputs[i]
        if text >= 0 and text not in parsed:
            parsed[text] = parse_inputs(timeline.strings[text])
        shapes, dtypes = parsed.get(text, ([], []))
        if key not in result.shapes and text >= 0:
            result.shapes[key] = describe_inputs(shapes, dtypes)
        if kind is None or kind == "view":
            continue
        effort = sums[key]
        flops = flops_of(name, shapes, dtypes, allocated.get(i, 0))
        if flops:
            effort.matmul = True
            effort.flops += flops / count
            if any(dtype in _HALF for dtype in dtypes):
                effort.half_flops += flops / count
        works_itself = owned.children[i] == 0 or owned.self_time[i] >= _OWN_SHARE * ops.duration[i]
        if works_itself and name not in _ALLOCATORS:
            effort.launches += 1 / count
            effort.moved += bytes_of(kind, shapes, dtypes, allocated.get(i, 0)) / count
    result.by_key = dict(sums)
    return result


_ALLOCATORS = frozenset(
    ("aten::empty", "aten::empty_strided", "aten::empty_like", "aten::resize_", "aten::item",
     "aten::_local_scalar_dense", "aten::resolve_conj", "aten::resolve_neg", "aten::result_type")
)  # fmt: skip


def parse_inputs(text: str) -> tuple[Shapes, list[str]]:
    """``[[32, 64], []]|float,Scalar`` -> (shapes, dtypes). Unreadable text gives nothing."""
    shapes_text, _, dtypes_text = text.rpartition("|")
    try:
        shapes = ast.literal_eval(shapes_text)
    except (ValueError, SyntaxError, RecursionError):
        return [], []
    return (shapes if isinstance(shapes, list) else []), dtypes_text.split(",")


def describe_inputs(shapes: Shapes, dtypes: list[str]) -> tuple[str, str]:
    """Tensor inputs for people: (``32x64, 64x64``, ``float32``)."""
    seen, types = [], []
    for shape, dtype in zip(shapes, dtypes, strict=False):
        if dtype in _SIZES and _is_shape(shape):
            seen.append("x".join(map(str, shape)) or "scalar")
            word = _DTYPE_WORDS.get(dtype, dtype)
            if word not in types:
                types.append(word)
    return ", ".join(seen), ", ".join(types)


_DTYPE_WORDS = {
    "float": "float32", "double": "float64", "c10::Half": "float16", "c10::BFloat16": "bfloat16",
    "long int": "int64", "int": "int32", "unsigned char": "uint8", "signed char": "int8",
    "short int": "int16",
}  # fmt: skip


def bytes_of(kind: str, shapes: Shapes, dtypes: list[str], allocated: int) -> float:
    """Bytes that an operator reads and writes: its tensor inputs, plus what it allocated.

    One that writes in place writes its first input as well.
    """
    total = 0.0
    first = True
    for shape, dtype in zip(shapes, dtypes, strict=False):
        if dtype in _SIZES and _is_shape(shape):
            size = math.prod(shape) * _SIZES[dtype]
            total += size
            if first and kind == "inplace":
                total += size
            first = False
    return total + allocated


def _is_shape(shape: object) -> bool:
    return isinstance(shape, list) and all(isinstance(side, int) for side in shape)


def is_matmul(name: str) -> bool:
    """Whether the operator itself is a matrix product, a convolution or fused attention."""
    return name in _FLOPS or _is_convolution(name)


def _is_convolution(name: str) -> bool:
    return "conv" in name and name not in (
        "aten::conv2d",
        "aten::convolution",
        "aten::_convolution",
    )


def flops_of(name: str, shapes: Shapes, dtypes: list[str], allocated: int) -> float:
    """Floating-point operations of matrix products, convolutions and attention, 0 for others.

    ``allocated`` is the operator's output in bytes (convolutions need it).
    """
    formula = _FLOPS.get(name)
    try:
        if formula is not None:
            return float(formula(shapes))
        if _is_convolution(name):
            return _conv_forward(shapes, dtypes, allocated)
        return 0.0
    except (IndexError, TypeError, ZeroDivisionError):
        return 0.0


def _mm(shapes: Shapes) -> float:
    (n, k), (_k, m) = shapes[0], shapes[1]
    return float(2 * n * k * m)


def _bmm(shapes: Shapes) -> float:
    b, n, k = shapes[0]
    return float(2 * b * n * k * shapes[1][2])


def _conv_forward(shapes: Shapes, dtypes: list[str], allocated: int) -> float:
    """From the output's size, which is what the operator allocated: strides are not recorded."""
    weight = shapes[1]
    outputs = allocated / _SIZES.get(dtypes[0], 4)
    return float(2 * outputs * math.prod(weight[1:]))


def _conv_backward(shapes: Shapes) -> float:
    gradient, weight = shapes[0], shapes[2]
    per_output = 2.0 * math.prod(weight) / weight[0]
    # One product for the input's gradient, one for the weight's.
    return float(2 * math.prod(gradient) * per_output)


def _attention(shapes: Shapes) -> float:
    *batch, queries, width = shapes[0]
    keys, value_width = shapes[1][-2], shapes[2][-1]
    return float(2 * math.prod(batch) * queries * keys * (width + value_width))


def _attention_backward(shapes: Shapes) -> float:
    # Five products instead of two, the scores being computed again.
    return 2.5 * _attention(shapes[1:])


_FLOPS: dict[str, Callable[[Shapes], float]] = {
    "aten::mm": _mm,
    "aten::addmm": lambda shapes: _mm(shapes[1:]),
    "aten::bmm": _bmm,
    "aten::baddbmm": lambda shapes: _bmm(shapes[1:]),
    "aten::convolution_backward": _conv_backward,
    "aten::_scaled_dot_product_flash_attention_for_cpu": _attention,
    "aten::_scaled_dot_product_flash_attention": _attention,
    "aten::_scaled_dot_product_efficient_attention": _attention,
    "aten::_scaled_dot_product_cudnn_attention": _attention,
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _attention_backward,
    "aten::_scaled_dot_product_flash_attention_backward": _attention_backward,
    "aten::_scaled_dot_product_efficient_attention_backward": _attention_backward,
}


def add_up(parts: list[Effort]) -> Effort:
    """The sum of several efforts."""
    total = Effort()
    for part in parts:
        total.flops += part.flops
        total.half_flops += part.half_flops
        total.moved += part.moved
        total.launches += part.launches
        total.matmul = total.matmul or part.matmul
    return total


def regime_of(effort: Effort, work_ms: float, peaks: Peaks) -> tuple[str | None, float | None]:
    """(regime, headroom in ms) of a line's work; (None, None) where the peaks are not known."""
    if peaks.float32 is None or peaks.bandwidth is None or peaks.launch_ns is None:
        return None, None
    if effort.launches == 0 and effort.flops == 0:
        return None, None
    half_peak = peaks.half or peaks.float32
    compute = (effort.flops - effort.half_flops) / peaks.float32 + effort.half_flops / half_peak
    times = {
        "compute": compute * 1e3,
        "memory": effort.moved / peaks.bandwidth * 1e3,
        "overhead": effort.launches * peaks.launch_ns / 1e6,
    }
    regime = max(times, key=lambda name: times[name])
    return regime, max(0.0, work_ms - times[regime])
