"""How near a run is to the limit of its device's memory, for the rules on memory."""

from __future__ import annotations

from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory

PRESSURE = 0.80
"""Share of the device's memory at the peak from which on it is worth saving some at a price: less
leaves room for half as much again."""

NEGLIGIBLE_SHARE_OF_PEAK = 0.03
"""Under 3 % of the peak nothing is said of memory."""


def pressure(memory: Memory) -> float | None:
    """The peak as a share of the device's memory; None where that is not known, as on the CPU."""
    return memory.peak_bytes / memory.device_bytes if memory.device_bytes else None


def owners(facts: Facts, kind: str = "total") -> list[tuple[LineKey, int]]:
    """Lines with what they hold at the peak (of one category), the largest first."""
    found = [
        (cost.key, int(getattr(cost.categories, kind)))
        for cost in facts.profile.lines
        if cost.categories is not None
    ]
    return sorted(((key, size) for key, size in found if size), key=lambda item: -item[1])
