"""The workers' ledger: wall time of lines in a DataLoader's worker processes.

It runs beside the step, several processes at once, so it is no part of any ledger of the step.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass

from stepscope.attribution.host import add_net
from stepscope.timeline.model import NOWHERE, Recording, Timeline, Track

_OUTLIER = 3  # batches differ more than steps do


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """What one line takes in one worker process for one batch."""

    ms: float
    calls: float


def worker_ledger(timeline: Timeline) -> dict[int, WorkerShare]:
    """By place: averages over the batches of those workers that ran the line.

    Each worker belongs to one loader, so the batches of another loader do not dilute a line.
    """
    recordings = [recording for recording in timeline.recordings if recording.kind == "worker"]
    batches: dict[int, int] = defaultdict(int)
    spent: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    calls: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for recording in _ordinary(recordings):
        process = recording.facts["process"]
        batches[process] += recording.steps
        track = recording.tracks.get(recording.facts["thread"], Track())
        begin, end = recording.bounds[0], recording.bounds[-1]
        add_net(recording.event_ns, track, begin, end, spent[process])
        for time, place in track.entries:
            if begin <= time < end:
                calls[process][place] += 1
    shares = {}
    for place in {place for by_place in spent.values() for place in by_place} - {NOWHERE}:
        ran = [process for process, by_place in spent.items() if place in by_place]
        count = sum(batches[process] for process in ran)
        ns = sum(max(0.0, spent[process][place]) for process in ran)
        times = sum(calls[process][place] for process in ran)
        shares[place] = WorkerShare(ns / 1e6 / count, times / count)
    return shares


def _ordinary(recordings: list[Recording]) -> list[Recording]:
    """Without batches during which their worker was held up, where there are enough to tell."""
    if len(recordings) < 3:
        return recordings
    lengths = {id(r): r.bounds[-1] - r.bounds[0] for r in recordings}
    typical = statistics.median_low(lengths.values())
    return [r for r in recordings if lengths[id(r)] <= _OUTLIER * typical]
