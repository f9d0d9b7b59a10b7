"""FLOPs, bytes and launches per line, and which of the three bounds it.

A line's work takes at least the time that its FLOPs need at the device's peak, that its bytes need
at the device's bandwidth, and that its launches need on the host. The largest of the three names
the regime; what the line took beyond it is its headroom (Williams et al., "Roofline", 2009, with
launches added).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from stepscope.attribution.flops import (
    CONVOLUTION,
    convolution_flops,
    flops_of,
    is_convolution,
    is_matmul,
)
from stepscope.attribution.inputs import Inputs, bytes_of, parse_inputs
from stepscope.attribution.memory import ALLOCATORS
from stepscope.attribution.owners import Owned
from stepscope.attribution.work import OpKey
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import Recording, Timeline

# An operator whose own code is the larger part of its time does the work itself; one that only
# dispatches to others does not.
_OWN_SHARE = 0.5


@dataclass(slots=True)
class Effort:
    """What a group of operators did in one step."""

    flops: float = 0.0
    half_flops: float = 0.0  # the part done in half precision
    moved: float = 0.0  # bytes read and written
    launches: float = 0.0
    matmul: bool = False
    unsized: bool = False  # a product whose sizes nobody recorded is among them


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
    kinds = [schemas.get(name) for name in timeline.strings]
    products = [is_matmul(name) for name in timeline.strings]
    allocators = [name in ALLOCATORS for name in timeline.strings]
    known_flops: dict[tuple[int, int], float] = {}
    known_bytes: dict[tuple[str, int], float] = {}
    steps = ordinary_steps(recording.bounds)
    begin = steps[0][0] if steps else 0
    end = steps[-1][1] if steps else 0
    count = max(1, len(steps))
    parsed: dict[int, Inputs] = {-1: Inputs()}
    result = Efforts()
    sums: dict[OpKey, Effort] = defaultdict(Effort)
    convolutions: dict[int, float] = {}  # operator -> FLOPs that nobody has been credited with yet
    for i in owned.order:
        if not begin <= ops.start[i] < end:
            continue
        number = ops.name[i]
        key = (owned.owner[i], number, owned.backward[i])
        text = ops.inputs[i]
        if text not in parsed:
            parsed[text] = parse_inputs(timeline.strings[text])
        inputs = parsed[text]
        if key not in result.shapes and text >= 0:
            result.shapes[key] = inputs.describe()
        kind = kinds[number]
        if kind is None or kind == "view":
            continue
        name = timeline.strings[number]
        effort = sums[key]
        works_itself = owned.children[i] == 0 or owned.self_time[i] >= _OWN_SHARE * ops.duration[i]
        if name == CONVOLUTION:
            convolutions[i] = convolution_flops(inputs)
        flops = known_flops.get((number, text), -1.0)
        if flops < 0:
            flops = known_flops[(number, text)] = flops_of(name, inputs)
        if works_itself and (name == CONVOLUTION or is_convolution(name)):
            flops += _claim(convolutions, owned, i)
        if flops:
            effort.matmul = True
            effort.flops += flops / count
            if inputs.half:
                effort.half_flops += flops / count
        elif works_itself and products[number]:
            effort.unsized = True
        if works_itself and not allocators[number]:
            effort.launches += 1 / count
            moved = known_bytes.get((kind, text), -1.0)
            if moved < 0:
                moved = known_bytes[(kind, text)] = bytes_of(kind, inputs, 0)
            effort.moved += (moved + allocated.get(i, 0)) / count
    result.by_key = dict(sums)
    return result


def _claim(convolutions: dict[int, float], owned: Owned, operator: int) -> float:
    """FLOPs of the convolution around ``operator`` (or itself), for the first that asks."""
    above = operator
    while above >= 0:
        if above in convolutions:
            return convolutions.pop(above)
        above = owned.parent[above]
    return 0.0


def add_up(parts: list[Effort]) -> Effort:
    """The sum of several efforts."""
    total = Effort()
    for part in parts:
        total.flops += part.flops
        total.half_flops += part.half_flops
        total.moved += part.moved
        total.launches += part.launches
        total.matmul = total.matmul or part.matmul
        total.unsized = total.unsized or part.unsized
    return total


def regime_of(effort: Effort, work_ms: float, peaks: Peaks) -> tuple[str | None, float | None]:
    """(regime, headroom in ms) of a line's work; (None, None) where the peaks are not known."""
    if peaks.float32 is None or peaks.bandwidth is None or peaks.launch_ns is None:
        return None, None
    if effort.unsized or (effort.launches == 0 and effort.flops == 0):
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
