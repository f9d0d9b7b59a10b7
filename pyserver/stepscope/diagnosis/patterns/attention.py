"""Attention: written out as product, softmax, product, or fused and fallen back to that."""

from __future__ import annotations

from collections import defaultdict

from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.patterns import Attention, MathAttention
from stepscope.diagnosis.op_times import OpTimes
from stepscope.diagnosis.patterns.shapes import Shapes

_PRODUCTS = frozenset(("aten::matmul", "aten::bmm", "aten::baddbmm", "aten::einsum"))
_SOFTMAX = frozenset(("aten::softmax", "aten::_softmax"))
_BEFORE, _AFTER = 8, 4  # operators between the products and the softmax: scale, mask, cast, dropout
_MATH = "aten::_scaled_dot_product_attention_math"
_FUSED = "aten::scaled_dot_product_attention"


def written_out(
    times: OpTimes, shapes: Shapes, sources: dict[str, list[str]]
) -> tuple[Attention, ...]:
    """By the softmax's line."""
    top = times.top_level()
    between: dict[LineKey, float] = defaultdict(float)
    products: dict[LineKey, float] = defaultdict(float)
    count: dict[LineKey, int] = defaultdict(int)
    for position, i in enumerate(top):
        line = times.line[i]
        if times.name[i] not in _SOFTMAX or line is None:
            continue
        first = _product(times, top, position, -1, _BEFORE)
        last = _product(times, top, position, 1, _AFTER)
        if first is None or last is None or not _is_scores(shapes, line, times.name[i]):
            continue
        count[line] += 1
        products[line] += times.both(top[first]) + times.both(top[last])
        between[line] += sum(times.both(top[n]) for n in range(first + 1, last))
    return tuple(
        Attention(
            line,
            between[line],
            products[line],
            count[line] / times.steps,
            "softmax" in _text(sources, line),
            _described(shapes, line),
        )
        for line in sorted(count)
    )


def _product(times: OpTimes, top: list[int], position: int, step: int, reach: int) -> int | None:
    """Position of the product before or after, in the same function and step."""
    function, number = times.function[top[position]], times.step[top[position]]
    for distance in range(1, reach + 1):
        at = position + step * distance
        if not 0 <= at < len(top) or times.step[top[at]] != number:
            return None
        if times.function[top[at]] != function:
            return None
        if times.name[top[at]] in _PRODUCTS:
            return at
        if times.name[top[at]] in _SOFTMAX:
            return None
    return None


def _is_scores(shapes: Shapes, line: LineKey, name: str) -> bool:
    """Whether the softmax's input may be scores of queries and keys: three sides or more."""
    tensors = shapes.of(line, name).tensors()
    return not tensors or len(tensors[0][0]) >= 3


def _described(shapes: Shapes, line: LineKey) -> str:
    for name in sorted(_SOFTMAX):
        tensors = shapes.of(line, name).tensors()
        if tensors:
            return "x".join(map(str, tensors[0][0]))
    return ""


def _text(sources: dict[str, list[str]], line: LineKey) -> str:
    lines = sources.get(line[0], [])
    return lines[line[1] - 1] if 0 < line[1] <= len(lines) else ""


def fallen_back(times: OpTimes, shapes: Shapes) -> tuple[MathAttention, ...]:
    """Fused attention that ran as plain operators, by line."""
    ms: dict[LineKey, float] = defaultdict(float)
    count: dict[LineKey, int] = defaultdict(int)
    dropped: set[LineKey] = set()
    for i in times.forward:
        line = times.line[i]
        if line is None:
            continue
        if times.name[i] == _MATH:
            ms[line] += times.both(i)
            count[line] += 1
        elif times.name[i].startswith("aten::dropout") and (times.name[times.parent[i]] == _MATH):
            dropped.add(line)
    return tuple(
        MathAttention(
            line, ms[line], count[line] / times.steps, *shapes.of(line, _FUSED).describe(),
            line in dropped,
        )
        for line in sorted(count)
    )  # fmt: skip
