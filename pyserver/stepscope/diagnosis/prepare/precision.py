"""Operators and their inputs -> ``Precision``."""

from __future__ import annotations

from collections import defaultdict

from stepscope.attribution.attribute import Attributed, Recorded
from stepscope.attribution.flops import flops_of, is_matmul
from stepscope.attribution.inputs import Inputs, bytes_of, parse_inputs
from stepscope.attribution.regime import regime_of
from stepscope.attribution.work import OpKey
from stepscope.diagnosis.facts.precision import FLOATS, Precision, TypedWork
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE

_WORDS = {"float": "float32", "double": "float64", "c10::Half": "float16"} | {
    "c10::BFloat16": "bfloat16"
}


def prepare(attributed: Attributed) -> Precision | None:
    """None where no shapes and dtypes were recorded."""
    detail = attributed.detail
    told = attributed.ledgers.timeline.facts.get("evidence", {}).get("precision")
    if detail is None or told is None:
        return None
    on_device = attributed.ledgers.device is not None
    return Precision(
        work=tuple(_work(attributed, detail)),
        tensor_cores=told["tensor_cores"],
        tf32=attributed.ledgers.timeline.facts["tf32"] if on_device else None,
        scalers=told["scalers"],
    )


def _work(attributed: Attributed, detail: Recorded) -> list[TypedWork]:
    """Each operator's time divided among the inputs that it was given."""
    ledgers = attributed.ledgers
    timeline = ledgers.timeline
    weights, parsed = _weights(attributed, detail)
    found = []
    for key, ms in ledgers.work_by_key().items():
        owner, number, backward = key
        given = weights.get(key)
        if owner == NOWHERE or not given or ms <= 0:
            continue
        place, name = timeline.places[owner], timeline.strings[number]
        whole = sum(given.values()) or 1.0
        effort = ledgers.efforts.by_key.get(key)
        regime = headroom = None
        if effort is not None:
            regime, headroom = regime_of(effort, ms, ledgers.peaks)
        for text, weight in given.items():
            tensors = parsed[text].tensors()
            dtypes = tuple(_WORDS.get(dtype, dtype) for _, dtype in tensors)
            if not any(dtype in FLOATS for dtype in dtypes):
                continue
            part = weight / whole
            found.append(
                TypedWork(
                    line=(place.file, place.line),
                    operator=name,
                    dtypes=dtypes,
                    shapes=tuple(tuple(shape) for shape, _ in tensors),
                    ms=ms * part,
                    backward=backward,
                    matmul=is_matmul(name),
                    regime=regime,
                    headroom_ms=None if headroom is None else headroom * part,
                )
            )
    return found


def _weights(
    attributed: Attributed, detail: Recorded
) -> tuple[dict[OpKey, dict[int, float]], dict[int, Inputs]]:
    """Per operator key: how its time divides among the texts of its inputs.

    On the CPU by the time that operators took under the profiler. On a device their own time is not
    that of the host: there by their operations or, where they have none, their bytes.
    """
    timeline, recording, owned = attributed.ledgers.timeline, detail.recording, detail.owned
    ops = recording.ops
    assert ops is not None
    steps = ordinary_steps(recording.bounds)
    on_device = attributed.ledgers.device is not None
    parsed: dict[int, Inputs] = {}
    weights: dict[OpKey, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for i in owned.order:
        text = ops.inputs[i]
        if text < 0 or not any(begin <= ops.start[i] < end for begin, end in steps):
            continue
        if text not in parsed:
            parsed[text] = parse_inputs(timeline.strings[text])
        weight = float(max(0, owned.self_time[i]))
        if on_device:
            inputs = parsed[text]
            weight = flops_of(timeline.strings[ops.name[i]], inputs) or bytes_of("new", inputs, 0)
        weights[(owned.owner[i], ops.name[i], owned.backward[i])][text] += weight
    return weights, parsed
