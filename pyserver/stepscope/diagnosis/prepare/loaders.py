"""Fetches and settings of DataLoaders -> ``Loaders``."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders


def prepare(attributed: Attributed) -> Loaders | None:
    """Waits from the clean pass, whose steps nothing disturbed; else from the first recording."""
    ledgers = attributed.ledgers
    timeline = ledgers.timeline
    recording = timeline.recording("clean") or timeline.recording("map")
    if recording is None or recording.steps < 1:
        return None
    begin, end = recording.bounds[0], recording.bounds[-1]
    if end <= begin:
        return None
    # Shares of the pass, so that the waits fit the median step that everything else is scaled to.
    to_step = ledgers.step_ms.median / (end - begin)
    waited: dict[int, int] = defaultdict(int)
    single: dict[int, list[tuple[int, int]]] = defaultdict(list)
    worked: dict[int, int] = defaultdict(int)
    batches: dict[int, int] = defaultdict(int)
    fetches = timeline.fetches
    for start, stop, cpu, loader, thread in zip(
        fetches.start, fetches.end, fetches.cpu, fetches.loader, fetches.thread, strict=True
    ):
        if begin <= start < end and thread == timeline.step_thread:
            waited[loader] += stop - start
            single[loader].append((start, stop))
            worked[loader] += cpu
            batches[loader] += 1
    # A wait that the device works through costs the step nothing.
    exposed = 1.0
    if ledgers.device is not None and (total := sum(waited.values()) * to_step):
        data_ms = attributed.profile.breakdown.data * ledgers.step_ms.median
        exposed = min(1.0, data_ms / total)
    found = []
    for number, entry in enumerate(timeline.facts["loaders"]):
        if number in waited:
            begun, ended = (
                [(a, b) for a, b in entry.get(word, ()) if begin <= a < end]
                for word in ("begun", "ended")
            )
            later, gap = _epochs(single[number], begun, ended)
            collate = entry.get("collate")
            found.append(
                LoaderFacts(
                    construct=_key(entry.get("construct")),
                    loop=_key(entry.get("loop")),
                    num_workers=entry["num_workers"],
                    batch_size=entry.get("batch_size"),
                    wait_ms=waited[number] * to_step * exposed,
                    fetch_cpu_ms=None if recording.from_trace else worked[number] * to_step,
                    batches_per_step=batches[number] / recording.steps,
                    persistent_workers=entry.get("persistent_workers"),
                    prefetch_factor=entry.get("prefetch_factor"),
                    pin_memory=entry.get("pin_memory"),
                    waits_ms=tuple(ns / 1e6 for ns in later),
                    epochs_per_step=len(begun) / recording.steps,
                    epoch_gap_ms=gap,
                    collate=None if collate is None else (collate[0], collate[1]),
                )
            )
    return Loaders(tuple(found))


def _epochs(
    fetches: list[tuple[int, int]], begun: list[tuple[int, int]], ended: list[tuple[int, int]]
) -> tuple[list[int], float | None]:
    """(waits in ns for batches in the middle of an epoch, ms from one epoch to the next)."""
    later: list[int] = []
    gaps = [b - a for a, b in begun] + [b - a for a, b in ended]
    no_batch = {start for start, _ in ended}
    edges = iter(sorted(begun))
    edge = next(edges, None)
    for start, stop in sorted(fetches):
        first = False
        while edge is not None and start >= edge[1]:
            edge, first = next(edges, None), True
        if first:
            gaps.append(stop - start)
        elif start not in no_batch:
            later.append(stop - start)
    return later, sum(gaps) / len(begun) / 1e6 if begun else None


def _key(site: Any) -> LineKey | None:
    return None if site is None else (site[0], site[1])
