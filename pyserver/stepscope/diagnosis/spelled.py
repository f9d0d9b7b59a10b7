"""What the source says on a line that was measured: the calls that a person wrote there.

Facts come from the run, and one line of a run is often one call into a library. Whether the person
wrote what costs time, and so can change it, only the source tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from stepscope.attribution.model import LineCost, LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts

SOMETIMES = 0.2
"""Runs per step from which on a line counts as part of the step: in one step of five."""


def place_of(facts: Facts, key: LineKey) -> source.Place | None:
    """The innermost statement on the line; None where the source is not known."""
    parsed = source.parse(facts.profile.sources.get(key[0], ""))
    return parsed.place_at(key[1]) if parsed else None


def calls_on(facts: Facts, key: LineKey) -> list[ast.Call]:
    """The calls of the statement on the line, without those in its body."""
    place = place_of(facts, key)
    if place is None:
        return []
    return [call for part in source.header(place.statement) for call in source.calls(part)]


def called(calls: Iterable[ast.Call]) -> set[str]:
    """Their dotted names."""
    return {source.dotted_name(call.func) for call in calls}


def lines_of_step(facts: Facts) -> Iterator[LineCost]:
    """The lines that run in the step itself, not while a loader is asked for a batch."""
    for line in facts.profile.lines:
        loading = line.wait_ms.data or 0.0
        if line.calls >= SOMETIMES and loading <= 0.5 * line.host_ms:
            yield line


def loading_lines(facts: Facts) -> Iterator[tuple[LineCost, float]]:
    """(line, ms per step or batch) of the person's code that makes batches, wherever it runs.

    In workers ms per batch; without workers ms per step.
    """
    for line in facts.profile.lines:
        loading = line.wait_ms.data or 0.0
        if line.worker_ms is not None:
            yield line, line.worker_ms
        elif loading > 0.5 * line.host_ms:
            yield line, loading
