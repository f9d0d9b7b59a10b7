"""A capture file -> ``Timeline``."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

from stepscope.agent.capture import EVENT_KINDS, Capture, Window, read_capture
from stepscope.timeline.allocations import complete
from stepscope.timeline.call_paths import CallPaths
from stepscope.timeline.model import Fetches, MemoryEvents, Ops, Recording, Timeline
from stepscope.timeline.tracks import LoopMark, Places, build_tracks

_CLOCK_TOLERANCE_NS = 50_000
_OUTLIER = 1.5  # a pass this many times longer than the median is no ordinary step


def load_timeline(path: Path) -> Timeline:
    """Read a capture. Raises ``agent.capture.CaptureError`` when it is damaged."""
    return build_timeline(read_capture(str(path)))


def build_timeline(capture: Capture) -> Timeline:
    """Columns -> events; the clocks are checked against each other on the way."""
    facts = capture.facts
    places = Places(capture.codes)
    notes: list[str] = list(facts["notes"])
    loop = None
    if facts["loop"] is not None and facts["boundary_kind"] != "explicit":
        mark = facts["loop"]["mark"]
        loop = LoopMark(
            facts["loop"]["file"], facts["loop"]["line"], facts["loop"]["end_line"], tuple(mark)
        )
    thread = facts["thread"][1]
    recordings = [
        _recording(window, capture, places, loop, thread, notes) for window in capture.windows
    ]
    fetches = Fetches(**capture.fetches)
    return Timeline(
        facts, capture.strings, EVENT_KINDS, places.all, recordings, fetches, thread, notes
    )


def _recording(
    window: Window,
    capture: Capture,
    places: Places,
    loop: LoopMark | None,
    thread: int,
    notes: list[str],
) -> Recording:
    tables = window.tables
    silent = dict(window.facts.get("bounded", []))
    paths = CallPaths() if window.kind == "map" else None  # charts are of that recording
    tracks = build_tracks(tables["clock"], places, loop, silent, paths) if "clock" in tables else {}
    ops = Ops(**tables["ops"]) if "ops" in tables else None
    memory = None
    if "memory" in tables:
        table = tables["memory"]
        memory = MemoryEvents(
            table["time"], table["address"], table["bytes"], table["thread"], table["device"]
        )
        memory = complete(memory, window.facts.get("history", []), capture.facts["device_index"])
    bounded = {}
    for code, since in window.facts.get("bounded", []):
        entry = capture.codes[code]
        bounded[(entry["file"], entry["function"])] = since
        notes.append(
            f"{entry['function']} ({Path(entry['file']).name}:{entry['first_line']}) runs lines "
            "faster than they can be timed; its time is split over its lines as in the first part."
        )
    _check_clocks(window, ops, capture, notes)
    passes = tracks[thread].passes if thread in tracks else []
    inside = [time for time in passes if window.start <= time <= window.end]
    # A detail recording is whole only from the moment at which the resident memory was noted; that
    # of a rank, from the moment at which all ranks have come to it.
    since = max(window.facts.get("resident_at", 0), window.facts.get("settled_at", 0))
    bounds = [edge for edge in whole_steps(inside, window.ticks) if edge >= since]
    event_ns = float(window.facts.get("event_ns", 0.0))
    return Recording(
        window.kind, bounds, tracks, ops, memory, bounded, event_ns, window.facts, paths
    )


def whole_steps(passes: list[int], ticks: list[int]) -> list[int]:
    """Edges of whole steps: passes of the loop that saw a tick, else the ticks themselves.

    A pass without a tick (a micro-batch of an accumulated step) joins the next one. A pass with
    several says that it is no step: what is counted happens more often than the loop goes round.
    """
    if any(
        bisect_right(passes, first) == bisect_right(passes, second)
        for first, second in pairwise(ticks)
    ):
        return list(ticks)
    edges: list[int] = []
    position = 0
    for begin in passes:
        while position < len(ticks) and ticks[position] < begin:
            position += 1
            if not edges or edges[-1] != begin:
                edges.append(begin)
    return edges if len(edges) >= 2 else list(ticks)


def ordinary_steps(bounds: list[int]) -> list[tuple[int, int]]:
    """Whole steps as (begin, end), without those that an evaluation or a pause made long."""
    steps = list(pairwise(bounds))
    if len(steps) < 3:
        return steps
    lengths = sorted(end - begin for begin, end in steps)
    median = lengths[len(lengths) // 2]
    kept = [(begin, end) for begin, end in steps if end - begin <= _OUTLIER * median]
    return kept or steps


def _check_clocks(window: Window, ops: Ops | None, capture: Capture, notes: list[str]) -> None:
    """The marker operator at both ends must lie between our own two readings of the clock."""
    if ops is None or not window.facts.get("marks"):
        return
    empties = [
        ops.start[i] for i in range(len(ops)) if capture.strings[ops.name[i]] == "aten::empty"
    ]
    for mark in window.facts["marks"]:
        before, after = mark
        low, high = before - _CLOCK_TOLERANCE_NS, after + _CLOCK_TOLERANCE_NS
        if not any(low <= start <= high for start in empties):
            notes.append(
                "The profiler's clock and the line clock disagree in this run, so operators may "
                "be on a neighbouring line."
            )
            return
