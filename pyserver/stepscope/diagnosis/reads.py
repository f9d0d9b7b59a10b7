"""Values that are read from tensors in groups, where one copy for all of them would do."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
from stepscope.diagnosis.spelled import place_of

KINDS = ("item", "cpu", "print")

MANY_ON_A_LINE = 4
"""Values read by one line in a step, from which on it reads them in a loop of its own."""

MANY_IN_A_ROW = 3
"""Statements one after another, each of which reads a value; two are hardly slower than one."""


@dataclass(frozen=True, slots=True)
class Reads:
    """Reads that belong together: of one line, or of statements that follow one another."""

    syncs: tuple[SyncFacts, ...]

    @property
    def key(self) -> LineKey:
        """The first line."""
        return self.syncs[0].line

    @property
    def per_step(self) -> float:
        """Values read in a step."""
        return sum(sync.per_step for sync in self.syncs)

    @property
    def wait_ms(self) -> float | None:
        """How long the host waits for all of them; None where that was not measured."""
        waits = [sync.wait_ms for sync in self.syncs if sync.wait_ms is not None]
        return sum(waits) if waits else None


def grouped_reads(facts: Facts) -> tuple[Reads, ...]:
    """Every group of reads that is large enough to be one copy."""
    syncs = facts.measured(Syncs)
    if syncs is None:
        return ()
    found: list[Reads] = []
    row: list[tuple[source.Place | None, SyncFacts]] = []
    for sync in syncs.of_kind(*KINDS):
        place = place_of(facts, sync.line)
        if row and not _follows(row[-1][0], place):
            found += _row(row)
            row = []
        row.append((place, sync))
    return (*found, *_row(row))


def _follows(previous: source.Place | None, place: source.Place | None) -> bool:
    if previous is None or place is None:
        return False
    return place.block is previous.block and 0 <= place.index - previous.index <= 1


def _row(row: list[tuple[source.Place | None, SyncFacts]]) -> list[Reads]:
    """The row as one group if it is long enough, else those of its lines that read many."""
    if len({place.index for place, _ in row if place is not None}) >= MANY_IN_A_ROW:
        return [Reads(tuple(sync for _, sync in row))]
    return [Reads((sync,)) for _, sync in row if sync.per_step >= MANY_ON_A_LINE]
