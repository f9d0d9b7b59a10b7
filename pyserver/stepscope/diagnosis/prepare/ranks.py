"""A comparison of ranks -> ``Ranks``, as rules see it."""

from __future__ import annotations

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.model import LineKey, RankCost
from stepscope.attribution.model import Ranks as Compared
from stepscope.diagnosis.facts.ranks import RankFacts, Ranks


def prepare(attributed: Attributed) -> Ranks | None:
    """None where one rank was looked at, or no collective could be matched over all."""
    compared = attributed.profile.ranks
    if compared is None or any(rank.waited_ms is None for rank in compared.ranks):
        return None
    return Ranks(tuple(_facts(compared, rank) for rank in compared.ranks))


def _facts(compared: Compared, rank: RankCost) -> RankFacts:
    line: LineKey | None = None
    extra: float | None = None
    for skew in compared.lines:  # the largest difference first
        if skew.slowest_rank == rank.rank:
            line, extra = (skew.file, skew.line), skew.high_ms - skew.low_ms
            break
    busy = rank.step_ms - (rank.waited_ms or 0.0)
    return RankFacts(rank.rank, rank.step_ms, max(0.0, busy), line, extra)
