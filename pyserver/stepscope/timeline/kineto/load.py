"""A recorded Kineto trace -> ``Timeline``.

A trace holds one recording, made with the profiler on, so its times include what the profiler cost.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from statistics import median
from typing import Any

from stepscope.timeline.call_paths import CallPaths
from stepscope.timeline.kineto.columns import Columns
from stepscope.timeline.kineto.events import decode
from stepscope.timeline.kineto.frames import FramePlaces, build_tracks, recomputing
from stepscope.timeline.kineto.header import describe_run
from stepscope.timeline.kineto.links import (
    enclosing_operators,
    forward_threads,
    in_order,
    launching_calls,
    operators_by_external_id,
)
from stepscope.timeline.kineto.paths import PathMap
from stepscope.timeline.kineto.spellings import KERNEL, LOADER, MEMCPY, MEMSET, NODE, OP, RUNTIME
from stepscope.timeline.kineto.steps import find_steps
from stepscope.timeline.kineto.stream import Surroundings, read_events
from stepscope.timeline.kineto.text import TraceError
from stepscope.timeline.model import (
    NOWHERE,
    Fetches,
    MemoryEvents,
    Ops,
    Recording,
    Timeline,
    Track,
)
from stepscope.timeline.pausing import Pause, never

KINDS = ("op", "runtime", "kernel", "memcpy", "memset")
_KIND = {
    OP: KINDS.index("op"),
    RUNTIME: KINDS.index("runtime"),
    KERNEL: KINDS.index("kernel"),
    MEMCPY: KINDS.index("memcpy"),
    MEMSET: KINDS.index("memset"),
}


def load_trace(path: Path, paths: PathMap | None = None, pause: Pause = never) -> Timeline:
    """Read a trace, plain or gzip; ``paths`` says where its source files are.

    Raises ``TraceError`` for what is no trace. ``pause`` is called for every few megabytes.
    """
    columns, around = Columns(), Surroundings()
    for events in read_events(path, decode, around):
        pause()
        columns.add(events)
    if not columns.host.name and not columns.device.name:
        raise TraceError(
            f"{path} holds {columns.count} events and no operator, runtime call or kernel among "
            "them, so there is nothing to show."
        )
    return build_timeline(path, columns, around, paths or PathMap(), pause)


def build_timeline(
    path: Path, columns: Columns, around: Surroundings, paths: PathMap, pause: Pause = never
) -> Timeline:
    """Columns -> the neutral events."""
    notes = _damage(columns, around)
    places = FramePlaces(columns.strings, paths)
    pause()
    call_paths = CallPaths()
    tracks = build_tracks(columns, places, call_paths)
    pause()
    steps = find_steps(columns)
    pause()
    ops, launch_ns = _link(columns)
    pause()
    fetches = _fetches(columns)
    facts = describe_run(path, columns, around, steps, launch_ns)
    facts["loaders"] = _loaders(columns, fetches, tracks, places, steps.thread, path)
    notes += [*_about_lines(columns, places), *places.local.notes()]
    recording = Recording(
        kind="map",
        bounds=steps.bounds,
        tracks=tracks,
        ops=ops,
        memory=_memory(columns),
        bounded={},
        event_ns=0.0,
        facts={
            "from_trace": True,
            "recompute": recomputing(columns),
            "functions_only": bool(columns.frames.name),
        },
        paths=call_paths,
    )
    return Timeline(
        facts, columns.strings, KINDS, places.all, [recording], fetches, steps.thread, notes
    )


def _damage(columns: Columns, around: Surroundings) -> list[str]:
    notes = []
    if around.cut:
        notes.append(
            f"The trace is cut off or damaged after {columns.count} events; what is there is shown."
        )
    if columns.damaged:
        notes.append(
            f"{columns.damaged} events have no time that can be (negative, infinite or missing) "
            "and are left out."
        )
    return notes


def _link(columns: Columns) -> tuple[Ops, float | None]:
    """Host rows, then device rows; and what one launch costs the host, ns."""
    host, device = columns.host, columns.device
    order = in_order(host.start, host.duration)
    enclosing = enclosing_operators(columns, order)
    calls = launching_calls(columns)
    count = len(host.name)
    # Numbers of our own: a row's, plus one.
    correlation = array("q", range(1, count + 1))
    linked = array("q", bytes(8 * count))
    for call, operator in enclosing.items():
        linked[call] = operator + 1
    by_external: dict[int, int] | None = None
    for row, call in enumerate(calls):
        operator = -1
        if call < 0 and device.external[row]:
            if by_external is None:
                by_external = operators_by_external_id(columns)
            operator = by_external.get(device.external[row], -1)
        correlation.append(call + 1 if call >= 0 else 0)
        linked.append(operator + 1)
    of_forward = forward_threads(columns)
    nodes = {number for number, text in enumerate(columns.strings) if text.startswith(NODE)}
    more = len(device.name)
    zeros, minus = array("q", bytes(8 * more)), array("q", [-1]) * more
    ops = Ops(
        name=host.name + device.name,
        start=host.start + device.start,
        duration=host.duration + device.duration,
        thread=host.thread + device.stream,
        native=host.thread + device.stream,
        sequence=host.sequence + minus,
        forward_thread=array("q", [of_forward.get(n, n) for n in host.forward_thread]) + zeros,
        # A node of the backward pass is the only operator that names a forward thread.
        scope=array(
            "b",
            [
                1 if forward and name not in nodes else 0
                for name, forward in zip(host.name, host.forward_thread, strict=True)
            ],
        )
        + array("b", bytes(more)),
        kind=array("b", [_KIND[kind] for kind in host.kind])
        + array("b", [_KIND[kind] for kind in device.kind]),
        device=array("q", [-1]) * count + device.device,
        correlation=correlation,
        linked=linked,
        inputs=host.inputs + minus,
    )
    launches = [host.duration[call] for call in set(calls) if call >= 0]
    return ops, float(median(launches)) if launches else None


def _fetches(columns: Columns) -> Fetches:
    spans, strings = columns.annotations, columns.strings
    loaders = {n for n, text in enumerate(strings) if text.startswith(LOADER)}
    rows = [row for row, name in enumerate(spans.name) if name in loaders]
    numbers: dict[int, int] = {}
    return Fetches(
        start=[spans.start[row] for row in rows],
        end=[spans.start[row] + spans.duration[row] for row in rows],
        cpu=[0] * len(rows),
        loader=[numbers.setdefault(spans.name[row], len(numbers)) for row in rows],
        thread=[spans.thread[row] for row in rows],
    )


def _loaders(
    columns: Columns,
    fetches: Fetches,
    tracks: dict[int, Track],
    places: FramePlaces,
    thread: int,
    path: Path,
) -> list[dict[str, Any]]:
    """What is known of each loader: whether it has workers, and the function that waits for it."""
    spans, strings = columns.annotations, columns.strings
    names = dict.fromkeys(strings[name] for name in spans.name if strings[name].startswith(LOADER))
    found = []
    for number, name in enumerate(names):
        where = NOWHERE
        for start, loader, owner in zip(fetches.start, fetches.loader, fetches.thread, strict=True):
            if loader == number and owner == thread and owner in tracks:
                where = tracks[owner].place_at(start)
                if where != NOWHERE:
                    break
        place = None if where == NOWHERE else places.all[where]
        found.append(
            {
                "construct": None,
                "loop": [str(path), 1] if place is None else [place.file, place.line],
                "num_workers": 0 if "SingleProcess" in name else None,
                "batch_size": None,
            }
        )
    return found


def _about_lines(columns: Columns, places: FramePlaces) -> list[str]:
    if not places.all:
        return [
            "The trace has no Python stacks (with_stack=True records them), so nothing in it can "
            "be put on a line."
        ]
    if columns.frames.name:
        return [
            "Recorded stacks know the line of each function's def, not the executing line: what a "
            "line shows is the function's."
        ]
    return ["Recorded call stacks may name a line near the executing one."]


def _memory(columns: Columns) -> MemoryEvents | None:
    table = columns.allocations
    if not table.time:
        return None
    order = sorted(range(len(table.time)), key=table.time.__getitem__)

    # Without addresses no free can be told from another's.
    if not any(table.address):
        table.address = array("q", [-1]) * len(table.time)

    def column(values: Any) -> list[int]:
        return [values[row] for row in order]

    return MemoryEvents(
        column(table.time),
        column(table.address),
        column(table.size),
        column(table.thread),
        column(table.device),
        column(table.total) if max(table.total) >= 0 else None,
        column(table.reserved) if max(table.reserved) >= 0 else None,
    )
