"""Python between the operators, and the device's waits for work -> ``Host``."""

from __future__ import annotations

import statistics
from collections import defaultdict

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.host import add_net
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts.host import Host, IdleLine, PythonLine
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import NOWHERE, Track


def prepare(attributed: Attributed) -> Host:
    """From the recording with operators, scaled to the clean step."""
    ledgers, profile = attributed.ledgers, attributed.profile
    kernels, median = _kernels(attributed)
    idle_ms, idle = None, []
    if ledgers.device is not None:
        idle_ms = profile.breakdown.overhead * profile.step_ms.median
        whole = sum(line.device_idle_ms or 0.0 for line in profile.lines)
        waits = {line.key: line.wait_ms.total for line in profile.lines}
        for line in profile.lines:
            if line.device_idle_ms and whole:
                left = max(0.0, line.device_idle_ms - waits[line.key])
                idle.append(IdleLine(line.key, left))
    return Host(
        python=_python(attributed),
        kernels=kernels,
        median_kernel_us=median,
        idle_ms=idle_ms,
        idle=tuple(sorted(idle, key=lambda one: (-one.idle_ms, one.line))),
        forward_line=_forward_line(attributed),
    )


def _python(attributed: Attributed) -> tuple[PythonLine, ...]:
    ledgers = attributed.ledgers
    places = ledgers.timeline.places
    sums: dict[LineKey, float] = defaultdict(float)
    for place, ms in ledgers.python.items():
        if place != NOWHERE:
            known = places[place]
            sums[(known.file, known.line)] += max(0.0, ms - ledgers.data_wait.get(place, 0.0))
    steady = _steady(attributed)
    counts: dict[LineKey, int] = defaultdict(int)
    recording, owned = attributed.mapped.recording, attributed.mapped.owned
    steps = ordinary_steps(recording.bounds)
    for i in owned.order:
        if owned.parent[i] < 0 and owned.place[i] != NOWHERE:
            known = places[owned.place[i]]
            counts[(known.file, known.line)] += 1
    # Whole recording over whole steps: the edges hold a part of a step at most.
    per_step = max(1, len(steps))
    return tuple(
        PythonLine(line, ms * steady.get(line, 1.0), counts[line] / per_step)
        for line, ms in sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    )


def _steady(attributed: Attributed) -> dict[LineKey, float]:
    """Per line, the median step's time over the mean: what came once only is not the line's way.

    A process that has to share its cores is interrupted now and then, on any line.
    """
    timeline = attributed.ledgers.timeline
    recording = timeline.recording("lines")
    if recording is None:
        return {}
    track = recording.tracks.get(timeline.step_thread, Track())
    steps = ordinary_steps(recording.bounds)
    by_step: dict[LineKey, list[float]] = defaultdict(lambda: [0.0] * len(steps))
    for number, (begin, end) in enumerate(steps):
        spent: dict[int, float] = defaultdict(float)
        add_net(recording.event_ns, track, begin, end, spent)
        for place, ns in spent.items():
            if place != NOWHERE:
                known = timeline.places[place]
                by_step[(known.file, known.line)][number] += max(0.0, ns)
    return {
        line: min(1.0, statistics.median(spans) / statistics.fmean(spans))
        for line, spans in by_step.items()
        if any(spans)
    }


def _kernels(attributed: Attributed) -> tuple[float | None, float | None]:
    """(kernels per step, their median length in µs)."""
    ledgers, recording = attributed.ledgers, attributed.mapped.recording
    ops = recording.ops
    if ledgers.device is None or ops is None:
        return None, None
    kind = ledgers.timeline.kinds.index("kernel")
    lengths = [ops.duration[i] for i in range(len(ops)) if ops.kind[i] == kind]
    if not lengths:
        return None, None
    launched = sum(ledgers.device.launches.values()) / max(1, ledgers.device.steps)
    return launched, statistics.median(lengths) / 1e3


def _forward_line(attributed: Attributed) -> LineKey | None:
    ledgers = attributed.ledgers
    by_loop: dict[int, float] = defaultdict(float)
    for (place, _), ms in ledgers.loop_share.items():
        if place != NOWHERE:
            by_loop[place] += ms
    if not by_loop:
        return None
    most = ledgers.timeline.places[max(by_loop, key=lambda number: by_loop[number])]
    return (most.file, most.line)
