"""Where the steps of a recorded trace begin and end.

The profiler's own marks first, then the ends of optimizer steps, then the whole recording as one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from stepscope.timeline.kineto.columns import Columns
from stepscope.timeline.kineto.spellings import NODE, OP, OPTIMIZER, STEP


@dataclass(frozen=True, slots=True)
class Steps:
    """``bounds`` are the edges, ns; ``thread`` the one that makes the steps; ``how`` in words."""

    bounds: list[int]
    thread: int
    how: str
    first: int | None = None  # the number that the first one has in the run


def find_steps(columns: Columns) -> Steps:
    """The steps, by the order of trust above."""
    spans = columns.annotations
    marks = _spans_named(columns, STEP)
    thread = _main_thread(columns)
    if marks:
        thread = Counter(spans.thread[row] for row in marks).most_common(1)[0][0]
        mine = sorted(
            {
                (spans.start[row], spans.duration[row])
                for row in marks
                if spans.thread[row] == thread
            }
        )
        # Marks of no length, and two that begin together, are no steps.
        bounds = sorted({start for start, _ in mine})
        end = max(start + duration for start, duration in mine)
        if end > bounds[-1]:
            bounds.append(end)
        numbers = [
            int(number)
            for row in marks
            if (number := columns.strings[spans.name[row]].removeprefix(STEP)).isdecimal()
            and len(number) < 12
        ]
        first = min(numbers, default=None)
        if len(bounds) > 1:
            return Steps(bounds, thread, "torch.profiler's own step marks", first)
    updates = _spans_named(columns, OPTIMIZER)
    if updates:
        thread = Counter(spans.thread[row] for row in updates).most_common(1)[0][0]
        ends = sorted(
            {
                spans.start[row] + spans.duration[row]
                for row in updates
                if spans.thread[row] == thread
            }
        )
        if len(ends) > 1:
            return Steps(ends, thread, "optimizer steps")
    return Steps(_whole(columns), thread, "the whole recording as one step")


def _spans_named(columns: Columns, prefix: str) -> list[int]:
    names = {n for n, text in enumerate(columns.strings) if text.startswith(prefix)}
    return [row for row, name in enumerate(columns.annotations.name) if name in names]


def _main_thread(columns: Columns) -> int:
    """The thread with the most operators that no backward pass made."""
    host = columns.host
    nodes = {n for n, text in enumerate(columns.strings) if text.startswith(NODE)}
    counts = Counter(
        thread
        for thread, kind, name, forward in zip(
            host.thread, host.kind, host.name, host.forward_thread, strict=True
        )
        if kind == OP and not forward and name not in nodes
    )
    if counts:
        return counts.most_common(1)[0][0]
    calls = Counter(host.thread)
    return calls.most_common(1)[0][0] if calls else 0


def _whole(columns: Columns) -> list[int]:
    """From the first event to the last."""
    tables = [t for t in (columns.host, columns.device) if t.start]
    first = min(min(table.start) for table in tables)
    last = max(
        start + duration
        for table in tables
        for start, duration in zip(table.start, table.duration, strict=True)
    )
    return [first, max(last, first + 1)]
