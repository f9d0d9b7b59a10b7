"""Recordings of worker processes -> ``WorkerBatches``."""

from __future__ import annotations

from collections import defaultdict

from stepscope.attribution.attribute import Attributed
from stepscope.diagnosis.facts.workers import WorkerBatches


def prepare(attributed: Attributed) -> WorkerBatches | None:
    """None where no worker recorded a batch."""
    by_worker: dict[int, list[float]] = defaultdict(list)
    for recording in attributed.ledgers.timeline.recordings:
        if recording.kind == "worker" and recording.steps:
            length = (recording.bounds[-1] - recording.bounds[0]) / 1e6
            by_worker[recording.facts["process"]].append(length)
    if not by_worker:
        return None
    return WorkerBatches(tuple(tuple(batches) for _, batches in sorted(by_worker.items())))
