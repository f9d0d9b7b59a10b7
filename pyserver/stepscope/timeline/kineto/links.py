"""Device work -> the runtime call that launched it -> the operator round that call."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict

from stepscope.timeline.kineto.columns import Columns
from stepscope.timeline.kineto.spellings import OP, RUNTIME

_DURATION_BITS = 48


def in_order(start: array[int], duration: array[int]) -> list[int]:
    """Rows by start; of those that start together the longest first, so parents before children.

    Kineto writes host events in order of their end or of their start, depending on the version.
    """
    keys = [(s << _DURATION_BITS) - d for s, d in zip(start, duration, strict=True)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def enclosing_operators(columns: Columns, order: list[int]) -> dict[int, int]:
    """Row of a runtime call -> row of the innermost operator round it, on the same thread.

    Time decides, not Kineto's external id: that is the call's own number in some versions, which is
    some operator's number as well.
    """
    host = columns.host
    start, duration, thread, kind = host.start, host.duration, host.thread, host.kind
    stacks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    found = {}
    for row in order:
        begin = start[row]
        stack = stacks[thread[row]]
        while stack and stack[-1][0] <= begin:
            stack.pop()
        if kind[row] == OP:
            stack.append((begin + duration[row], row))
        elif stack:
            found[row] = stack[-1][1]
    return found


def launching_calls(columns: Columns) -> list[int]:
    """Row of the runtime call that launched each piece of device work, -1 where none is known.

    Correlation numbers repeat in traces that were merged, and in long ones: then the last call
    before the work began is it.
    """
    host, device = columns.host, columns.device
    calls: dict[int, int | list[int]] = {}
    for row, (kind, number) in enumerate(zip(host.kind, host.correlation, strict=True)):
        if kind != RUNTIME or not number:
            continue
        known = calls.get(number)
        if known is None:
            calls[number] = row
        elif isinstance(known, list):
            known.append(row)
        else:
            calls[number] = [known, row]
    begins = host.start
    for known in calls.values():
        if isinstance(known, list):
            known.sort(key=begins.__getitem__)
    found = []
    for number, start in zip(device.correlation, device.start, strict=True):
        call = calls.get(number, -1) if number else -1
        if isinstance(call, list):
            before = bisect_right(call, start, key=begins.__getitem__)
            call = call[max(0, before - 1)]
        found.append(call)
    return found


def operators_by_external_id(columns: Columns) -> dict[int, int]:
    """External id -> row of its operator, for device work without a runtime call."""
    host = columns.host
    return {
        number: row
        for row, (kind, number) in enumerate(zip(host.kind, host.external, strict=True))
        if kind == OP and number
    }


def forward_threads(columns: Columns) -> dict[int, int]:
    """The profiler's own number of a forward thread -> our number of that thread.

    Backward operators name the thread of their forward by a number that stands nowhere else. It is
    the thread on which most of the sequence numbers that they carry began.
    """
    host = columns.host
    began: dict[int, int] = {}
    for sequence, forward, thread in zip(
        host.sequence, host.forward_thread, host.thread, strict=True
    ):
        if sequence >= 0 and not forward:
            began.setdefault(sequence, thread)
    votes: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for sequence, forward in zip(host.sequence, host.forward_thread, strict=True):
        if forward and sequence in began:
            votes[forward][began[sequence]] += 1
    return {number: max(seen, key=seen.__getitem__) for number, seen in votes.items()}
