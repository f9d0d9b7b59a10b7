"""Ranks side by side: who came last, how long the others waited, what the last one did."""

from __future__ import annotations

import dataclasses
from typing import Any

from stepscope.attribution.attribute import attribute
from stepscope.attribution.model import Ranks
from stepscope.attribution.ranks import Rank, compare_ranks, summarise_rank
from stepscope.diagnosis.facts.ranks import Ranks as RanksFacts
from stepscope.diagnosis.prepare import prepare_facts
from stepscope.diagnosis.rules import stragglers
from tests.timelines import FILE, Tape

MS = 1_000_000
STEP = 100 * MS


def rank(number: int, forward_ms: int, reduce_ms: int, **facts: Any) -> Rank:
    """Two steps: lines 10 and 11 for ``forward_ms`` in all, then an all-reduce on line 20."""
    tape = Tape(0, STEP, 2 * STEP, **({"rank": number, "world_size": 2} | facts))
    for begin in (0, STEP):
        tape.line(begin, 10)
        tape.op("aten::mm", begin + 1 * MS, begin + 10 * MS)
        tape.line(begin + 10 * MS, 11)
        tape.op("aten::relu", begin + 11 * MS, begin + forward_ms * MS)
        tape.line(begin + forward_ms * MS, 20)
        tape.op("gloo:all_reduce", begin + forward_ms * MS, begin + (forward_ms + reduce_ms) * MS)
    return summarise_rank(attribute(tape.timeline()), number, f"rank{number}.capture")


def compared(*ranks: Rank) -> Ranks:
    return compare_ranks(ranks)


def test_the_rank_in_which_a_collective_is_shortest_came_last() -> None:
    found = compared(rank(0, 20, 35), rank(1, 50, 5))
    (collective,) = found.collectives
    assert collective.name == "gloo:all_reduce"
    assert (collective.calls, collective.transfer_ms, collective.wait_ms) == (1, 5, 30)
    assert (collective.late_rank, collective.late_share) == (1, 1)


def test_the_late_rank_was_on_the_line_that_took_longer_there() -> None:
    (collective,) = compared(rank(0, 20, 35), rank(1, 50, 5)).collectives
    assert (collective.late_line, collective.doing) == ((FILE, 11), "main")


def test_waits_of_the_ranks() -> None:
    first, second = compared(rank(0, 20, 35), rank(1, 50, 5)).ranks
    assert (first.waited_ms, first.late_ms) == (30, 0)
    assert (second.waited_ms, second.late_ms) == (0, 30)


def test_lines_that_differ_are_named_with_their_slowest_rank() -> None:
    lines = {skew.line: skew for skew in compared(rank(0, 20, 35), rank(1, 50, 5)).lines}
    assert 10 not in lines
    assert (lines[11].low_ms, lines[11].high_ms, lines[11].slowest_rank) == (10, 40, 1)


def test_ranks_in_step_wait_for_nobody() -> None:
    found = compared(rank(0, 20, 5), rank(1, 20, 5))
    assert found.collectives[0].wait_ms == 0
    assert found.lines == ()
    assert found.notes == ()


def test_missing_ranks_are_named() -> None:
    found = compare_ranks([rank(0, 20, 5), rank(3, 20, 5)])
    assert found.world_size == 2
    alone = compare_ranks([rank(1, 20, 5)])
    assert alone.missing == (0,)
    assert alone.notes == ("Rank 0 of 2 has no recording here.",)
    assert alone.collectives == ()
    assert alone.ranks[0].waited_ms is None


def test_ranks_of_other_runs_are_named() -> None:
    other = compared(rank(0, 20, 5), rank(1, 20, 5, world_size=4))
    assert other.notes[0] == "Rank 1 seems to be of another run than rank 0: it is of 4 ranks."
    steps = compared(rank(0, 20, 5, first_step=10), rank(1, 20, 5, first_step=90))
    assert steps.notes[0].endswith("it holds other steps.")
    assert steps.collectives == ()


def test_a_collective_that_one_rank_did_not_make_is_not_compared() -> None:
    tape = Tape(0, STEP, 2 * STEP, rank=1, world_size=2)
    tape.line(0, 10)
    tape.op("aten::mm", MS, 10 * MS)
    silent = summarise_rank(attribute(tape.timeline()), 1, "rank1.capture")
    assert compared(rank(0, 20, 5), silent).collectives == ()


def test_the_rule_on_stragglers_reads_the_comparison() -> None:
    tape = Tape(0, STEP, 2 * STEP, rank=0, world_size=2)
    tape.line(0, 10)
    tape.op("aten::mm", MS, 10 * MS)
    attributed = attribute(tape.timeline())
    ranks = compared(rank(0, 20, 35), rank(1, 50, 5))
    profile = dataclasses.replace(attributed.profile, ranks=ranks)
    facts = prepare_facts(dataclasses.replace(attributed, profile=profile))
    measured = facts.measured(RanksFacts)
    assert measured is not None
    assert [(each.rank, each.busy_ms) for each in measured.all] == [(0, 70), (1, 100)]
    assert measured.all[1].slowest_line == (FILE, 11)
    (finding,) = stragglers.evaluate(facts)
    assert finding.line == 11
    assert finding.evidence["rank"] == 1
