"""Optimizers as the agent saw them, and the profiler's marks around their steps."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.optimizers import OptimizerFacts, Optimizers
from stepscope.timeline.from_capture import ordinary_steps

# Where every parameter may be: the kinds of device that each implementation has kernels for.
_FUSED_ON = frozenset(("cpu", "cuda", "mps", "xpu"))


def prepare(attributed: Attributed) -> Optimizers | None:
    """None where the run told nothing of its optimizers or no step was recorded."""
    told = attributed.ledgers.timeline.facts.get("evidence", {}).get("optimizers")
    if told is None:
        return None
    found = []
    of_class: dict[str, int] = defaultdict(int)
    for entry in told:
        of_class[entry["name"]] += entry["parameters"]
    for entry in told:
        step_ms, update_ms, fused, foreach = _inside_steps(attributed, entry["name"])
        # The marks name the class only: several of one class share its time by their parameters.
        part = entry["parameters"] / max(1, of_class[entry["name"]])
        if not step_ms:
            continue
        implementation = "single tensor"
        if fused or entry["fused"]:
            implementation = "fused"
        elif foreach:
            implementation = "foreach"
        plain = entry["of_torch"] and not entry["differentiable"] and entry["floating"]
        found.append(
            OptimizerFacts(
                name=entry["name"],
                construct=_key(entry["construct"]),
                step_ms=step_ms * part,
                update_ms=update_ms * part,
                implementation=implementation,
                takes_foreach=bool(plain and entry["takes_foreach"]),
                takes_fused=bool(
                    plain
                    and entry["takes_fused"]
                    and entry["dense"]
                    and set(entry["devices"]) <= _FUSED_ON
                ),
                parameters=entry["parameters"],
            )
        )
    return Optimizers(tuple(found))


def _inside_steps(attributed: Attributed, name: str) -> tuple[float, float, bool, bool]:
    """(time of its steps, of operators in them, whether fused, whether foreach), per step."""
    timeline, recording = attributed.ledgers.timeline, attributed.mapped.recording
    ops = recording.ops
    assert ops is not None
    steps = ordinary_steps(recording.bounds)
    annotation, mark = timeline.kinds.index("annotation"), f"Optimizer.step#{name}.step"
    spans = sorted(
        (ops.start[i], ops.start[i] + ops.duration[i])
        for i in range(len(ops))
        if ops.kind[i] == annotation and timeline.strings[ops.name[i]] == mark
    )
    owned, strings = attributed.mapped.owned, timeline.strings
    inside = [0] * len(spans)
    fused, foreach = False, False
    position = 0
    for i in owned.order:
        start = ops.start[i]
        while position < len(spans) and spans[position][1] <= start:
            position += 1
        if position == len(spans):
            break
        if spans[position][0] <= start and ops.native[i] == timeline.step_thread:
            inside[position] += max(0, owned.self_time[i])
            fused = fused or strings[ops.name[i]].startswith("aten::_fused_")
            foreach = foreach or strings[ops.name[i]].startswith("aten::_foreach_")
    whole, update = [], []
    for begin, end in steps:
        mine = [n for n, span in enumerate(spans) if begin <= span[0] < end]
        whole.append(sum(spans[n][1] - spans[n][0] for n in mine))
        update.append(sum(inside[n] for n in mine))
    if not any(whole):
        return 0.0, 0.0, False, False
    # The typical step of each: one that was interrupted says nothing of the optimizer.
    length = statistics.median(end - begin for begin, end in steps)
    scale = attributed.ledgers.step_ms.median / length
    return statistics.median(whole) * scale, statistics.median(update) * scale, fused, foreach


def _key(site: Any) -> LineKey | None:
    return None if site is None else (site[0], site[1])
