"""Elementwise operators in a row, and normalisations that are written out in them."""

from __future__ import annotations

import math
from collections import defaultdict

from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.patterns import Chain, Norm
from stepscope.diagnosis.op_times import OpTimes
from stepscope.diagnosis.patterns.shapes import Shapes

_WORDS = (
    "abs add add_ addcmul addcdiv clamp clamp_min clamp_max cos div div_ elu erf exp gelu "
    "hardtanh leaky_relu log log1p masked_fill maximum minimum mul mul_ neg pow reciprocal relu "
    "relu_ rsqrt rsub sigmoid sigmoid_ silu sin softplus sqrt square sub sub_ tanh where"
)
_ELEMENTWISE = frozenset(f"aten::{word}" for word in _WORDS.split())
LARGE = 1 << 18
"""Elements from which on a tensor (1 MB in float32) leaves the cache between two operators."""
_LEAST = 4

_MEAN, _SPREAD = ("aten::mean",), ("aten::var", "aten::std", "aten::var_mean")
_ROOT = ("aten::sqrt", "aten::rsqrt")
_PART = frozenset(
    ("aten::mean", "aten::var", "aten::std", "aten::var_mean", "aten::sqrt", "aten::rsqrt",
     "aten::sub", "aten::pow", "aten::square", "aten::mul", "aten::add", "aten::div")
)  # fmt: skip
_REACH = 7


def chains(times: OpTimes, shapes: Shapes) -> tuple[Chain, ...]:
    """Rows of at least four in one function, by their first line."""
    seen: dict[tuple[LineKey, str], int] = defaultdict(int)
    sums: dict[LineKey, tuple[str, int, float, int]] = {}
    row: list[int] = []
    elements = 0

    def close() -> None:
        if len(row) >= _LEAST:
            line = times.line[row[0]]
            assert line is not None
            ms = sum(times.both(n) for n in row) + sums.get(line, ("", 0, 0.0, 0))[2]
            sums[line] = (times.function[row[0]], len(row), ms, elements)
        row.clear()

    for i in times.top_level():
        line, name = times.line[i], times.name[i]
        if line is None:
            continue
        number = seen[(line, name)]
        seen[(line, name)] += 1
        if name not in _ELEMENTWISE:
            if times.both(i) > 0 and not _is_view(name):
                close()
            continue
        size = _size(shapes, line, name, number)
        if size < LARGE:
            close()
            continue
        if row and (times.function[row[0]] != times.function[i] or size != elements):
            close()
        elements = size
        row.append(i)
    close()
    return tuple(
        Chain(line, function, count, ms, size)
        for line, (function, count, ms, size) in sorted(sums.items())
    )


def _is_view(name: str) -> bool:
    return name in ("aten::view", "aten::unsqueeze", "aten::expand", "aten::transpose", "aten::t")


def _size(shapes: Shapes, line: LineKey, name: str, number: int) -> int:
    tensors = shapes.of(line, name, number).tensors()
    return max((math.prod(shape) for shape, _ in tensors), default=0)


def norms(times: OpTimes, sources: dict[str, list[str]]) -> tuple[Norm, ...]:
    """Mean, deviation and root along one side, kept to be divided by, in one function."""
    top = times.top_level()
    ms: dict[tuple[LineKey, int, str], float] = defaultdict(float)
    size: dict[tuple[LineKey, int, str], int] = {}
    for position, i in enumerate(top):
        if times.name[i] not in (*_ROOT, "aten::std"):
            continue
        found = _norm(times, top, position)
        if found is None:
            continue
        lines = [line for n in found if (line := times.line[n]) is not None]
        if not lines or not _along_one_side(sources, lines):
            continue
        kind = "layer" if any(times.name[n] == "aten::sub" for n in found) else "rms"
        first, last = min(lines), max(lines)
        if first[0] != last[0]:
            continue
        key = (first, last[1], kind)
        ms[key] += sum(times.both(n) for n in found)
        size[key] = len(found)
    return tuple(
        Norm(line, last, kind, ms[(line, last, kind)], size[(line, last, kind)])
        for line, last, kind in sorted(ms)
    )


def _norm(times: OpTimes, top: list[int], position: int) -> list[int] | None:
    """The operators of the normalisation around the root, None if it is none."""
    function = times.function[top[position]]

    def mine(at: int) -> bool:
        here = top[at]
        return times.function[here] == function and times.name[here] in _PART

    first = position
    while first > 0 and position - first < _REACH and mine(first - 1):
        first -= 1
    last = position
    while last + 1 < len(top) and last - position < 3 and mine(last + 1):
        last += 1
    found = [top[n] for n in range(first, last + 1)]
    names = [times.name[n] for n in found]
    before = names[: position - first + 1]
    averaged = any(name in _MEAN + _SPREAD for name in before)
    scaled = any(name in ("aten::div", "aten::mul") for name in names[position - first + 1 :])
    return found if averaged and scaled and len(found) >= 4 else None


def _along_one_side(sources: dict[str, list[str]], lines: list[LineKey]) -> bool:
    """Whether the source says so: kept dimensions, and the last one named."""
    file = lines[0][0]
    text = sources.get(file, [])[min(lines)[1] - 1 : max(lines)[1]]
    joined = "".join(text).replace(" ", "")
    return "keepdim" in joined and "-1" in joined
