"""What a comparison of several ranks' runs knows. One run alone cannot know it."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class RankFacts:
    """One rank: its step, and the part of it in which it does not wait for the others, ms."""

    rank: int
    step_ms: float
    busy_ms: float
    slowest_line: LineKey | None
    slowest_extra_ms: float | None  # that line's time beyond the median rank's


@dataclass(frozen=True, slots=True)
class Ranks:
    """All ranks of one job, the same steps of each."""

    all: tuple[RankFacts, ...]
