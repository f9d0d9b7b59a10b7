"""The memory ledger and the allocator's counts -> ``Memory``."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Any

from stepscope.attribution.attribute import Attributed, Recorded
from stepscope.attribution.model import LineKey, Profile
from stepscope.diagnosis import source
from stepscope.diagnosis.facts.memory import Memory, OptimizerMemory, Requests
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Timeline, Track

# CUDA's and HIP's calls that take memory from the device, or give it back: each waits for it.
_REQUESTS = ("cudaMalloc", "cudaFree", "hipMalloc", "hipFree", "cuMemCreate", "cuMemRelease")


def prepare(attributed: Attributed) -> Memory | None:
    """None where memory was not recorded."""
    ledgers, profile = attributed.ledgers, attributed.profile
    ledger, timeline = ledgers.memory, ledgers.timeline
    told = timeline.facts.get("evidence", {}).get("memory")
    if ledger is None or told is None:
        return None
    clean = timeline.recording("clean")
    counts = clean.facts.get("allocator") if clean is not None and clean.steps else None
    growth, retries = float(ledger.growth), None
    if clean is not None and counts:
        growth = (counts[1]["allocated"] - counts[0]["allocated"]) / clean.steps
        retries = (counts[1]["retries"] - counts[0]["retries"]) / clean.steps
    return Memory(
        peak_bytes=ledger.peak_bytes,
        device_bytes=told["device_bytes"],
        reserved_bytes=ledger.reserved_bytes,
        growth_bytes=growth,
        held=None if ledger.held is None else _by_line(timeline, ledger.held),
        old=_by_line(timeline, ledger.old),
        retries=retries,
        requests=_requests(timeline, attributed.mapped),
        optimizers=tuple(_optimizer(profile, entry) for entry in told["optimizers"]),
    )


def _by_line(timeline: Timeline, by_place: dict[int, int]) -> tuple[tuple[LineKey, int], ...]:
    """The largest first; what has no line is left out."""
    sums: dict[LineKey, int] = defaultdict(int)
    for number, size in by_place.items():
        if number != NOWHERE:
            place = timeline.places[number]
            sums[(place.file, place.line)] += size
    return tuple(sorted(sums.items(), key=lambda item: -item[1]))


def _requests(timeline: Timeline, mapped: Recorded) -> tuple[Requests, ...]:
    recording = mapped.recording
    ops = recording.ops
    assert ops is not None
    steps = ordinary_steps(recording.bounds)
    track = recording.tracks.get(timeline.step_thread, Track())
    runtime = timeline.kinds.index("runtime")
    asks = [
        text.startswith(_REQUESTS) and "Async" not in text and "Host" not in text
        for text in timeline.strings
    ]
    found: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for i in range(len(ops)):
        if ops.kind[i] != runtime or not asks[ops.name[i]]:
            continue
        if any(begin <= ops.start[i] < end for begin, end in steps):
            entry = found[track.place_at(ops.start[i])]
            entry[0] += 1 / len(steps)
            entry[1] += ops.duration[i] * 1e-6 / len(steps)
    return tuple(
        Requests((timeline.places[place].file, timeline.places[place].line), calls, ms)
        for place, (calls, ms) in sorted(found.items())
        if place != NOWHERE
    )


def _optimizer(profile: Profile, entry: dict[str, Any]) -> OptimizerMemory:
    return OptimizerMemory(
        name=entry["class"],
        line=_only_call(profile, entry["class"]),
        foreach=entry["foreach"],
        fused=entry["fused"],
        can_fuse=entry["can_fuse"],
        parameter_bytes=entry["parameter_bytes"],
        state_bytes=entry["state_bytes"],
    )


def _only_call(profile: Profile, name: str) -> LineKey | None:
    """The line of the only call of that name in the run's files, None with none or several."""
    lines: list[LineKey] = []
    for file, text in profile.sources.items():
        parsed = source.parse(text)
        for node in ast.walk(parsed.tree) if parsed else ():
            if isinstance(node, ast.Call):
                called = source.dotted_name(node.func).rpartition(".")[2]
                if called == name:
                    lines.append((file, node.lineno))
    return lines[0] if len(lines) == 1 else None
