"""stragglers: one rank is slower than the others, and all wait for it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.ranks import Ranks
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found

NAME = "stragglers"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``ratio`` of the slowest rank's own work to the median's; a tenth is beyond what the same
    work varies by on equal devices.
    """

    ratio: float = 1.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the line that the slowest rank is slowest in."""
    ranks = facts.measured(Ranks)
    if ranks is None or len(ranks.all) < 2:
        return abstain(NAME, "one rank alone was measured")
    median = statistics.median(rank.busy_ms for rank in ranks.all)
    slowest = max(ranks.all, key=lambda rank: rank.busy_ms)
    if median <= 0 or slowest.busy_ms < THRESHOLDS.ratio * median:
        return silent(NAME, "all ranks take about as long")
    if slowest.slowest_line is None:
        return abstain(NAME, "no line is known for what the slowest rank does longer")
    late = slowest.busy_ms - median
    return found(
        NAME,
        facts,
        slowest.slowest_line,
        f"Rank {slowest.rank} works {fmt.duration(slowest.busy_ms)} per step where the others work "
        f"{fmt.duration(median)}, and all wait for it; most of the difference is on this line.",
        {
            "rank": slowest.rank,
            "late_ms": late,
            "share": share_of_step(facts, late),
            "slowest_ratio": slowest.busy_ms / median,
        },
        Gain(0.0, late, "The slowest rank's time beyond the median rank's."),
    )


RULE = Rule(
    name=NAME,
    title="All ranks wait for the slowest",
    evaluate=evaluate,
    advice="Give each rank the same amount of data, and look at what else runs on that machine",
)
