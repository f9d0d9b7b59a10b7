"""The shown step as columns of spans, bounded."""

from __future__ import annotations

from stepscope.attribution.attribute import Attributed
from stepscope.report.charts.lanes import Lanes
from stepscope.report.charts.model import NONE, Json, Lane, Names
from stepscope.report.charts.step import shown_step

MOST_SPANS = 200_000


def timeline_chart(attributed: Attributed, names: Names) -> Json:
    """One recorded step. Times are microseconds from its start."""
    recording = attributed.mapped.recording
    begin, end = shown_step(recording)
    lanes = Lanes(attributed, names, begin, end).all()
    dropped = keep_longest(lanes, MOST_SPANS)
    step_ms = attributed.profile.step_ms.median
    hosts = {lane.thread: _spans_of(lane) for lane in lanes if lane.kind == "host"}
    return {
        "step_us": _us(end - begin),
        "of_steps": recording.steps,
        # This step's own, not the average's: it says how long these spans are too long.
        "tax": None if recording.from_trace else (end - begin) / 1e6 / step_ms if step_ms else None,
        "dropped": dropped,
        "lanes": [_lane(lane, hosts) for lane in lanes],
    }


def keep_longest(lanes: list[Lane], most: int) -> int:
    """Drop the shortest spans above ``most`` in all lanes together; how many were dropped.

    What is as long as what it contains stays: a parent stands before its children.
    """
    total = sum(len(lane.start) for lane in lanes)
    if total <= most:
        return 0
    spans = [
        (lane.start[span] - lane.end[span], row, span)
        for row, lane in enumerate(lanes)
        for span in range(len(lane.start))
    ]
    spans.sort()
    kept: list[list[int]] = [[] for _ in lanes]
    for _, row, span in spans[:most]:
        kept[row].append(span)
    for lane, chosen in zip(lanes, kept, strict=True):
        lane.keep(sorted(chosen))
    return total - most


def _spans_of(lane: Lane) -> dict[int, int]:
    return {event: span for span, event in enumerate(lane.event)}


def _lane(lane: Lane, hosts: dict[int | None, dict[int, int]]) -> Json:
    written: Json = {
        "kind": lane.kind,
        "title": lane.title,
        "thread": lane.thread,
        "device": lane.device,
        "start_us": [_us(ns) for ns in lane.start],
        # Of rounded ends, so that what followed without a gap still does.
        "duration_us": [
            round(_us(end) - _us(start), 1) for start, end in zip(lane.start, lane.end, strict=True)
        ],
        "depth": lane.depth,
        "name": lane.name,
        "place": lane.place,
    }
    if lane.launch:
        spans = hosts.get(lane.thread, {})
        written["launched_by"] = [spans.get(event, NONE) for event in lane.launch]
    return written


def _us(ns: int) -> float:
    return round(ns / 1000, 1)
