"""Arithmetic on half-open intervals of time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

Interval = tuple[int, int]


def clipped(intervals: list[Interval], begin: int, end: int) -> Iterable[Interval]:
    """The parts of ordered, disjoint intervals that lie between ``begin`` and ``end``."""
    if not intervals:
        return
    first = max(0, bisect_left(intervals, (begin,)) - 1)
    for index in range(first, len(intervals)):
        start, stop = intervals[index]
        if start >= end:
            break
        if stop > begin:
            yield max(start, begin), min(stop, end)


def merged(intervals: list[Interval]) -> list[Interval]:
    """The union, as ordered, disjoint intervals."""
    union: list[Interval] = []
    for start, end in sorted(intervals):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union


def overlap(one: list[Interval], other: list[Interval]) -> int:
    """Length of what two lists of ordered, disjoint intervals have in common."""
    return sum(end - start for low, high in one for start, end in clipped(other, low, high))


def uncovered(begin: int, end: int, covered: list[Interval]) -> list[Interval]:
    """The parts of [begin, end) outside ordered, disjoint ``covered``."""
    if not covered:
        return [(begin, end)] if begin < end else []
    left = []
    here = begin
    for low, high in clipped(covered, begin, end):
        if low > here:
            left.append((here, low))
        here = max(here, high)
    if here < end:
        left.append((here, end))
    return left
