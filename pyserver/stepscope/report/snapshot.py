"""A memory snapshot as a report: a peak and its lines, and no time anywhere."""

from __future__ import annotations

from collections import defaultdict

from stepscope import format as fmt
from stepscope.attribution.model import (
    Breakdown,
    Coverage,
    LineCost,
    LineKey,
    MemoryProfile,
    Profile,
    RunInfo,
    StepTime,
    Totals,
    Unattributed,
)
from stepscope.attribution.snapshot_memory import DevicePeak, OutOfMemory, device_peaks
from stepscope.attribution.sources import read_sources
from stepscope.report.build import build_report
from stepscope.report.model import Report
from stepscope.timeline.model import NOWHERE
from stepscope.timeline.snapshot.model import Snapshot

_EMPTY = "The snapshot holds no memory of any device."
_NO_HISTORY = (
    "The snapshot has no history (torch.cuda.memory._record_memory_history was not on), so this is "
    "what was live when it was taken, not the peak."
)
_NO_TIMES = "The snapshot holds no times (torch wrote none before 2.2), so there is no curve."
_REQUESTED = (
    "Sizes are those that were requested; the allocator rounds each up to a multiple of 512 bytes."
)


def snapshot_report(snapshot: Snapshot) -> Report:
    """The report of the device with the highest peak; notes name the others."""
    peaks = sorted(device_peaks(snapshot), key=lambda peak: -peak.memory.peak_bytes)
    shown = peaks[0] if peaks else None
    lines = () if shown is None else _lines(snapshot, shown)
    profile = Profile(
        run=RunInfo(
            target=snapshot.main or snapshot.path,
            args=(),
            python=None,
            torch=None,
            device="cuda" if shown is None else f"cuda:{shown.device}",
            started=None,
            steps=0,
            warmup=0,
            boundary="a memory snapshot holds no steps",
        ),
        step_ms=StepTime(0.0, 0.0, 0.0),
        tax=None,
        totals=Totals(0.0, 0.0, None),
        breakdown=Breakdown(*[0.0] * 9),
        coverage=Coverage(0.0, 0.0),
        lines=lines,
        unattributed=Unattributed(0.0, 0.0, 0.0),
        memory=None if shown is None else shown.memory,
        sources=read_sources({line.file for line in lines}),
        notes=(*snapshot.notes, *([_EMPTY] if shown is None else _notes(snapshot, peaks))),
        work_measured=False,
        timed=False,
    )
    return build_report(profile, ())


def _lines(snapshot: Snapshot, shown: DevicePeak) -> tuple[LineCost, ...]:
    live: dict[LineKey, int] = defaultdict(int)
    allocated: dict[LineKey, int] = defaultdict(int)
    functions: dict[LineKey, str] = {}
    for sums, by_place in ((live, shown.owners), (allocated, shown.allocated)):
        for number, size in by_place.items():
            if number != NOWHERE:
                place = snapshot.places[number]
                functions[(place.file, place.line)] = place.function
                sums[(place.file, place.line)] += size
    return tuple(
        LineCost(
            file=key[0],
            line=key[1],
            function=functions[key],
            calls=0.0,
            cost_ms=0.0,
            host_ms=0.0,
            work_ms=0.0,
            forward_ms=0.0,
            backward_ms=0.0,
            allocated_bytes=allocated[key] if shown.recorded else None,
            live_at_peak_bytes=live[key],
        )
        for key in sorted(functions)
    )


def _notes(snapshot: Snapshot, peaks: list[DevicePeak]) -> list[str]:
    shown = peaks[0]
    notes = [_where(snapshot, failure, shown) for failure in shown.failures[-1:]]
    nowhere = shown.owners.get(NOWHERE, 0)
    if nowhere:
        notes.append(
            f"{fmt.size(nowhere)} of the peak ({_share(nowhere, shown.memory)}) has no line: its "
            "stack was not recorded or holds no Python, as in a backward pass."
        )
    if not shown.recorded:
        notes.append(_NO_HISTORY)
    elif not shown.memory.timeline:
        notes.append(_NO_TIMES)
    notes.append(_REQUESTED)
    notes += [
        f"cuda:{other.device} is not shown; its peak is {fmt.size(other.memory.peak_bytes)}."
        for other in peaks[1:]
    ]
    return notes


def _where(snapshot: Snapshot, failure: OutOfMemory, shown: DevicePeak) -> str:
    where = ""
    if failure.place != NOWHERE:
        place = snapshot.places[failure.place]
        where = f" at {place.file}:{place.line}"
    times = len(shown.failures)
    first = "Out of memory" if times == 1 else f"Out of memory {times:,} times, last"
    return (
        f"{first}{where}: {fmt.size(failure.size)} were requested, "
        f"{fmt.size(failure.live_bytes)} in use, {fmt.size(failure.free_bytes)} free on the device."
    )


def _share(size: int, memory: MemoryProfile) -> str:
    return fmt.share(size / memory.peak_bytes if memory.peak_bytes else 0.0)
