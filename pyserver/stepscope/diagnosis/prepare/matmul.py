"""Operators, their dtypes and regimes -> ``MatmulFacts``."""

from __future__ import annotations

from collections import defaultdict

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.flops import is_matmul
from stepscope.attribution.regime import regime_of
from stepscope.diagnosis.facts.matmul import MatmulFacts
from stepscope.timeline.model import NOWHERE


def prepare(attributed: Attributed) -> MatmulFacts | None:
    """None where no shapes and dtypes were recorded."""
    ledgers = attributed.ledgers
    if not ledgers.efforts.by_key:
        return None
    timeline = ledgers.timeline
    total = float32 = bound = 0.0
    names = set()
    for key, ms in ledgers.work_by_key().items():
        effort = ledgers.efforts.by_key.get(key)
        if effort is None or not is_matmul(timeline.strings[key[1]]):
            continue
        total += ms
        dtypes = ledgers.efforts.shapes.get(key, ("", ""))[1]
        if "float32" not in dtypes:
            continue
        float32 += ms
        names.add(key[1])
        # Of a product whose sizes nobody recorded it is taken that it computes.
        if not effort.unsized and regime_of(effort, ms, ledgers.peaks)[0] != "compute":
            bound += ms
    by_loop: dict[int, float] = defaultdict(float)
    for (place, name), ms in ledgers.loop_share.items():
        if name in names and place != NOWHERE:
            by_loop[place] += ms
    if not by_loop:  # a recorded trace knows no loop: the function that most of it is for
        for key, ms in ledgers.work_by_key().items():
            if key[1] in names and key[0] != NOWHERE and not key[2]:
                by_loop[key[0]] += ms
    loop_line = None
    if by_loop:
        most = timeline.places[max(by_loop, key=lambda number: by_loop[number])]
        loop_line = (most.file, most.line)
    tf32 = timeline.facts["tf32"] if ledgers.device is not None else None
    return MatmulFacts(total, float32, bound, loop_line, tf32)
