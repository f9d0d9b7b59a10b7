"""Copies below products, tensors made anew, convolutions before norms, anomaly mode's checks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.inputs import parse_inputs
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.patterns import BiasedConvolution, Copies, Factory
from stepscope.diagnosis.op_times import OpTimes
from stepscope.diagnosis.patterns.shapes import Shapes
from stepscope.timeline.model import NOWHERE

EINSUM = "aten::einsum"
_TAKES = frozenset(
    (EINSUM, "aten::matmul", "aten::bmm", "aten::baddbmm", "aten::linear", "aten::conv1d",
     "aten::conv2d", "aten::conv3d")
)  # fmt: skip
_MAKES_CONTIGUOUS = ("aten::clone", "aten::contiguous")
_FACTORIES = (
    "zeros",
    "ones",
    "full",
    "arange",
    "eye",
    "linspace",
    "tril",
    "triu",
    "tril_",
    "triu_",
)
_CONVOLUTIONS = ("aten::conv1d", "aten::conv2d", "aten::conv3d")
_NORM = "aten::batch_norm"
_GRADIENT_NORMS = ("aten::linalg_vector_norm", "aten::norm")
_ENGINE = "autograd::engine::evaluate_function"
_CHECK = "aten::isnan"
_CHECKS = frozenset(
    (_CHECK, "aten::_is_any_true", "aten::any", "aten::item", "aten::is_nonzero", "aten::ne")
)


def copies(times: OpTimes) -> tuple[Copies, ...]:
    """Copies that a product, a convolution or einsum makes of what it is given."""
    ms: dict[tuple[LineKey, str], float] = defaultdict(float)
    count: dict[tuple[LineKey, str], int] = defaultdict(int)
    for i in times.forward:
        above = times.parent[i]
        if times.name[i] != "aten::copy_":
            continue
        root, line = times.root(i), times.line[i]
        if times.name[above] in _MAKES_CONTIGUOUS and times.name[root] in _TAKES and line:
            ms[(line, times.name[root])] += times.total[i]
            count[(line, times.name[root])] += 1
    return tuple(
        Copies(line, name, ms[(line, name)], count[(line, name)] / times.steps)
        for line, name in sorted(ms)
    )


def factories(times: OpTimes) -> tuple[Factory, ...]:
    """Tensors of constants that ``forward`` makes, by line."""
    ms: dict[LineKey, float] = defaultdict(float)
    words: dict[LineKey, str] = {}
    count: dict[LineKey, int] = defaultdict(int)
    for i in times.top_level():
        line, word = times.line[i], times.name[i].removeprefix("aten::")
        if line is None or word not in _FACTORIES or not times.function[i].endswith("forward"):
            continue
        ms[line] += times.total[i]
        count[line] += 1
        words.setdefault(line, word)
    return tuple(
        Factory(line, words[line], ms[line], count[line] / times.steps) for line in sorted(ms)
    )


def gradient_norms(times: OpTimes) -> tuple[Factory, ...]:
    """Norms of single tensors outside any other operator, by line."""
    ms: dict[LineKey, float] = defaultdict(float)
    count: dict[LineKey, int] = defaultdict(int)
    for i in times.top_level():
        line = times.line[i]
        if line is not None and times.name[i] in _GRADIENT_NORMS:
            ms[line] += times.total[i]
            count[line] += 1
    return tuple(Factory(line, "norm", ms[line], count[line] / times.steps) for line in sorted(ms))


def anomaly_checks(times: OpTimes) -> tuple[float, float]:
    """(ms, number) of the checks for NaN that the engine makes after each node in anomaly mode."""
    ms, count = 0.0, 0
    for i in times.backward:
        above = times.parent[i]
        if times.name[i] in _CHECKS and times.name[above].startswith(_ENGINE):
            ms += times.total[i]
            count += times.name[i] == _CHECK
    return (ms, count / times.steps) if count else (0.0, 0.0)


@dataclass(slots=True)
class Totals:
    """All operators of a kind, forward and backward, ms per step."""

    convolutions: float = 0.0
    by_line: dict[LineKey, float] = field(default_factory=lambda: defaultdict(float))
    half: float = 0.0
    dropout: float = 0.0
    batch_norm: float = 0.0


def totals(times: OpTimes, shapes: Shapes) -> Totals:
    """Convolutions, dropout and batch norms, wherever they were called from."""
    found = Totals()
    for i in times.forward:
        name, line = times.name[i], times.line[i]
        if name in _CONVOLUTIONS:
            found.convolutions += times.both(i)
            if line is not None:
                found.by_line[line] += times.both(i)
                if shapes.of(line, name).half:
                    found.half += times.both(i)
        elif name in ("aten::dropout", "aten::feature_dropout"):
            found.dropout += times.both(i)
        elif name == _NORM:
            found.batch_norm += times.both(i)
    return found


def biased_convolutions(attributed: Attributed, times: OpTimes) -> tuple[BiasedConvolution, ...]:
    """Convolutions with a bias whose very next operator is a batch norm of as many channels."""
    detail = attributed.detail
    if detail is None or detail.recording.ops is None or not detail.recording.steps:
        return ()
    ops, owned, timeline = detail.recording.ops, detail.owned, attributed.ledgers.timeline
    begin, end = detail.recording.bounds[0], detail.recording.bounds[-1]
    found: dict[tuple[LineKey, int, int, int], None] = {}
    before = -1
    for i in owned.order:
        outer = owned.parent[i] < 0 and not owned.backward[i] and begin <= ops.start[i] < end
        if not outer or ops.native[i] != timeline.step_thread:
            continue
        name = timeline.strings[ops.name[i]]
        if name == _NORM and before >= 0 and ops.inputs[before] >= 0 and ops.inputs[i] >= 0:
            given = parse_inputs(timeline.strings[ops.inputs[before]])
            normed = parse_inputs(timeline.strings[ops.inputs[i]])
            weight = given.shapes[1] if len(given.shapes) > 1 else []
            biased = len(given.shapes) > 2 and given.shapes[2] == weight[:1] != []
            if biased and normed.shapes[0][1:2] == weight[:1] and owned.owner[before] != NOWHERE:
                place = timeline.places[owned.owner[before]]
                key = ((place.file, place.line), weight[0], weight[1], weight[2])
                found[key] = None
        if name != "aten::add_":  # a batch norm counts its calls before it runs
            before = i if name in _CONVOLUTIONS else -1
    ms: dict[LineKey, float] = defaultdict(float)
    bias: dict[LineKey, float] = defaultdict(float)
    for i in times.forward:
        line = times.line[i]
        if line is None:
            continue
        if times.name[i] in _CONVOLUTIONS:
            ms[line] += times.both(i)
        elif times.name[i] == "aten::add_" and times.name[times.root(i)] in _CONVOLUTIONS:
            bias[line] += times.own[i]
    separate = attributed.ledgers.device is not None
    return tuple(
        BiasedConvolution(
            line, channels, inputs, kernel, ms[line], bias[line] if separate else None
        )
        for line, channels, inputs, kernel in found
    )
