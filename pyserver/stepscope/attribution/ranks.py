"""Ranks of one run side by side: who was late to which collective, and what it was doing.

No common clock is needed. A collective ends for all ranks at about the same time, so the rank in
which it took least came last, and the others took that much longer because they waited.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.collectives import Call, Doing, collective_calls
from stepscope.attribution.model import (
    Collective,
    LineKey,
    LineSkew,
    Profile,
    RankCost,
    Ranks,
)

_SKEWED = 0.02  # of the step: less than that is the spread between two steps
_MOST_LINES = 50
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Rank:
    """What is kept of one rank, so that the events of one at a time are in memory."""

    rank: int
    path: str
    world_size: int | None
    first_step: int | None
    profile: Profile
    calls: tuple[Call, ...]
    began_ns: int | None  # since 1970; None where the recording does not tell


def summarise_rank(attributed: Attributed, rank: int, path: str) -> Rank:
    """One rank's part of the comparison."""
    timeline = attributed.ledgers.timeline
    mapped = attributed.mapped
    began = mapped.recording.bounds[0] + (timeline.facts.get("base_ns") or 0)
    return Rank(
        rank,
        path,
        timeline.facts.get("world_size"),
        timeline.facts.get("first_step"),
        attributed.profile,
        tuple(collective_calls(timeline, mapped.recording, mapped.owned)),
        began if began > 10**18 else None,
    )


def compare_ranks(given: Sequence[Rank], notes: Sequence[str] = ()) -> Ranks:
    """The comparison, by rank. At least one rank is given, and no number twice."""
    ranks = sorted(given, key=lambda rank: rank.rank)
    size = max((rank.world_size or 0 for rank in ranks), default=0) or None
    present = {rank.rank for rank in ranks}
    missing = tuple(number for number in range(size or 0) if number not in present)
    told = [*notes, *_differences(ranks)]
    if missing and not any("left no capture" in note for note in notes):
        told.append(_missing(missing, size or 0))
    matched = _match(ranks)
    waits = _Waits()
    collectives = [_collective(ranks, name, calls, waits) for name, calls in matched.items()]
    measured = bool(matched) and len(ranks) > 1
    return Ranks(
        size,
        missing,
        tuple(
            RankCost(
                rank.rank,
                rank.path,
                rank.profile.run.device,
                rank.profile.run.steps,
                rank.profile.step_ms.median,
                rank.profile.breakdown,
                waits.waited[rank.rank] / rank.profile.run.steps / 1e6 if measured else None,
                waits.late[rank.rank] / rank.profile.run.steps / 1e6 if measured else None,
            )
            for rank in ranks
        ),
        tuple(sorted(collectives, key=lambda each: -each.wait_ms)) if measured else (),
        tuple(_skews(ranks)),
        tuple(told),
    )


@dataclass(slots=True)
class _Waits:
    """Nanoseconds by rank."""

    waited: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    late: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def _match(ranks: Sequence[Rank]) -> dict[str, list[list[Call]]]:
    """Calls that every rank has, by name; each a list with one call per rank."""
    tables = [{(call.step, call.name, call.number): call for call in rank.calls} for rank in ranks]
    found: dict[str, list[list[Call]]] = defaultdict(list)
    for key in tables[0]:
        calls = [table[key] for table in tables if key in table]
        if len(calls) == len(tables):
            found[key[1]].append(calls)
    return dict(found)


def _collective(
    ranks: Sequence[Rank], name: str, matched: list[list[Call]], waits: _Waits
) -> Collective:
    steps = len({calls[0].step for calls in matched})
    last: Counter[int] = Counter()
    transfer = wait = 0
    longer: dict[int, Counter[Doing]] = defaultdict(Counter)
    for calls in matched:
        shortest = min(call.ns for call in calls)
        longest = max(call.ns for call in calls)
        index = next(i for i, call in enumerate(calls) if call.ns == shortest)
        late = ranks[index].rank
        transfer += shortest
        wait += longest - shortest
        last[late] += 1
        waits.late[late] += longest - shortest
        for rank, call in zip(ranks, calls, strict=True):
            waits.waited[rank.rank] += call.ns - shortest
        _compare_before(calls, index, longer[late])
    late, times = last.most_common(1)[0]
    line, doing = _most(longer[late])
    return Collective(
        name,
        len(matched) / steps,
        transfer / steps / 1e6,
        wait / steps / 1e6,
        late,
        times / len(matched),
        line,
        doing,
    )


def _compare_before(calls: list[Call], index: int, longer: Counter[Doing]) -> None:
    """What the late rank spent before the call beyond what the others spent on the same."""
    others: dict[Doing, list[int]] = defaultdict(list)
    for number, call in enumerate(calls):
        if number != index:
            for doing, ns in call.before:
                others[doing].append(ns)
    count = max(1, len(calls) - 1)
    for doing, ns in calls[index].before:
        longer[doing] += max(0, ns - sum(others[doing]) // count)


def _most(longer: Counter[Doing]) -> tuple[LineKey | None, str]:
    if not longer or max(longer.values()) <= 0:
        return None, ""
    return longer.most_common(1)[0][0]


def _skews(ranks: Sequence[Rank]) -> list[LineSkew]:
    """Lines whose cost differs between ranks by more than the usual spread, most first."""
    if len(ranks) < 2:
        return []
    costs: dict[LineKey, dict[int, float]] = defaultdict(dict)
    functions: dict[LineKey, str] = {}
    for rank in ranks:
        for line in rank.profile.lines:
            costs[line.key][rank.rank] = line.cost_ms
            functions[line.key] = line.function
    step = statistics.median(rank.profile.step_ms.median for rank in ranks)
    found = []
    for key, by_rank in costs.items():
        low = min(by_rank.values()) if len(by_rank) == len(ranks) else 0.0
        slowest = max(by_rank, key=lambda number: by_rank[number])
        if by_rank[slowest] - low >= _SKEWED * step:
            found.append(LineSkew(*key, functions[key], low, by_rank[slowest], slowest))
    found.sort(key=lambda skew: skew.low_ms - skew.high_ms)
    return found[:_MOST_LINES]


def _differences(ranks: Sequence[Rank]) -> list[str]:
    """Ranks that seem to be of another run than the first."""
    first = ranks[0]
    notes = []
    for rank in ranks[1:]:
        why = ""
        if rank.world_size != first.world_size:
            why = f"it is of {rank.world_size or 'an unknown number of'} ranks"
        elif _apart(first, rank):
            why = "its recording does not overlap in time"
        elif not _share_steps(first, rank):
            why = "it holds other steps"
        if why:
            notes.append(
                f"Rank {rank.rank} seems to be of another run than rank {first.rank}: {why}."
            )
    return notes[:_MOST_NAMED]


def _apart(one: Rank, other: Rank) -> bool:
    if one.began_ns is None or other.began_ns is None:
        return False
    length = one.profile.totals.span_ms + other.profile.totals.span_ms
    return abs(one.began_ns - other.began_ns) / 1e6 > length


def _share_steps(one: Rank, other: Rank) -> bool:
    if one.first_step is None or other.first_step is None:
        return True
    mine = range(one.first_step, one.first_step + one.profile.run.steps)
    theirs = range(other.first_step, other.first_step + other.profile.run.steps)
    return max(mine.start, theirs.start) < min(mine.stop, theirs.stop)


def _missing(missing: tuple[int, ...], size: int) -> str:
    named = ", ".join(str(number) for number in missing[:_MOST_NAMED])
    more = len(missing) - _MOST_NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    verb = "has" if len(missing) == 1 else "have"
    word = "Rank" if len(missing) == 1 else "Ranks"
    return f"{word} {named}{rest} of {size:,} {verb} no recording here."
