"""Several recordings as the ranks of one run: the lowest one attributed, with all compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from stepscope.attribution.attribute import Attributed, AttributionError, attribute
from stepscope.attribution.ranks import Rank, compare_ranks, summarise_rank
from stepscope.timeline.model import Timeline
from stepscope.timeline.pausing import Pause, never


def attribute_ranks(
    recordings: Iterable[tuple[Path, Callable[[], Timeline]]],
    notes: Sequence[str] = (),
    pause: Pause = never,
) -> Attributed:
    """The lowest rank of ``recordings``, each a file and what reads it, with the comparison of all.

    One rank's events are in memory at a time, beside the lowest one's. What cannot be read (a
    ``ValueError``) or holds no step is left out with a note. Raises ``AttributionError`` where that
    is all of them.
    """
    told = list(notes)
    ranks: dict[int, Rank] = {}
    lowest: Attributed | None = None
    for path, load in recordings:
        try:
            attributed = attribute(load(), pause)
        except (ValueError, AttributionError) as error:
            told.append(f"Left out: {str(error).rstrip('.')}.")
            continue
        named = attributed.ledgers.timeline.facts.get("rank")
        rank = named if isinstance(named, int) else max(ranks, default=-1) + 1
        if rank in ranks:
            told.append(f"Left out: {path} is of rank {rank}, as is {ranks[rank].path}.")
            continue
        if not isinstance(named, int):
            told.append(f"{path} does not say its rank; it is called {rank} here.")
        ranks[rank] = summarise_rank(attributed, rank, str(path))
        if rank == min(ranks):
            lowest = attributed
    if lowest is None:
        raise AttributionError(" ".join(told))
    compared = compare_ranks(list(ranks.values()), told)
    return dataclasses.replace(lowest, profile=dataclasses.replace(lowest.profile, ranks=compared))
