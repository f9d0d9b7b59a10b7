"""Timeline -> Profile: the ledgers put together, scaled to the clean step, and merged into lines.

Where the time of a line comes from. *Host* time comes from the recording with the line clock alone,
which hardly disturbs the step; the recording with the profiler only says how each executing line's
time divides into operators, and whose they are. So the profiler's tax, which falls on lines with
many operators, does not move time from one line to another.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stepscope import format as fmt
from stepscope.attribution import lines as lines_module
from stepscope.attribution.breakdown import accelerator_breakdown, processor_breakdown
from stepscope.attribution.device import DeviceLedger, device_ledger, whole_recording
from stepscope.attribution.host import HostLedger, host_ledger
from stepscope.attribution.launches import Launches
from stepscope.attribution.memory import MemoryLedger, memory_ledger
from stepscope.attribution.model import (
    Assumed,
    Coverage,
    FilesTouched,
    LineKey,
    MemoryProfile,
    Profile,
    RunInfo,
    StepTime,
    Totals,
)
from stepscope.attribution.owners import Owned, own
from stepscope.attribution.recorded_memory import recorded_memory
from stepscope.attribution.regime import Efforts, Peaks, efforts
from stepscope.attribution.sources import read_sources
from stepscope.attribution.work import OpKey, Sweep, sweep
from stepscope.attribution.workers import WorkerShare, worker_ledger
from stepscope.timeline.model import NOWHERE, Recording, Timeline
from stepscope.timeline.pausing import Pause, never

_BEHIND = 1.02  # of the step: more work than fits into it


Made = TypeVar("Made")


class AttributionError(ValueError):
    """The capture holds no recorded step."""


@dataclass(slots=True)
class Ledgers:
    """Everything measured, in ms per step of the clean pass and by place number."""

    timeline: Timeline
    step_ms: StepTime
    host: dict[int, float]
    data_wait: dict[int, float]
    calls: dict[int, float]
    op_work: dict[tuple[int, OpKey], float]  # executing place, op key -> ms on the step's thread
    other_work: dict[OpKey, float]  # operator time on other threads, or device time
    python: dict[int, float]  # time outside operators by executing place
    efforts: Efforts
    peaks: Peaks
    memory: MemoryLedger | None
    device: DeviceLedger | None
    device_scale: float
    counts: dict[OpKey, float]
    loop_share: dict[tuple[int, int], float]  # (loop place, name) -> ms of forward operators
    recomputed_ms: float  # of the work: forward operators that run again in the backward pass
    workers: dict[int, WorkerShare]  # beside the step: what lines take in a loader's worker

    def work_by_key(self) -> dict[OpKey, float]:
        """What each operator took, ms per step: on the device, else on the step's thread."""
        if self.device is not None:
            return {key: ns * self.device_scale for key, ns in self.device.busy.items()}
        work: dict[OpKey, float] = defaultdict(float)
        for (_, key), ms in self.op_work.items():
            work[key] += ms
        return work


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording with operators, and whose each of them is (``owned``, by index into ``ops``)."""

    recording: Recording
    owned: Owned


@dataclass(frozen=True, slots=True)
class Attributed:
    """The profile, and what diagnosis prepares its facts from.

    ``mapped`` has every thread's operators and the device's work; ``detail`` also shapes, dtypes
    and memory (None where no such recording was made).
    """

    profile: Profile
    ledgers: Ledgers
    mapped: Recorded
    detail: Recorded | None
    _made: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, what: str, make: Callable[[Attributed], Made]) -> Made:
        """What several readers derive from this run, made for the first that asks."""
        if what not in self._made:
            self._made[what] = make(self)
        made: Made = self._made[what]
        return made

    @property
    def launches(self) -> Launches:
        """Who launched the device's work of ``mapped``, and for which operator."""
        return self.once(
            "launches",
            lambda run: Launches(run.ledgers.timeline, run.mapped.recording, run.mapped.owned),
        )


def attribute(timeline: Timeline, pause: Pause = never) -> Attributed:
    """Attribute a run. Raises ``AttributionError`` when it holds no whole recorded step.

    ``pause`` is called between the ledgers.
    """
    mapped = timeline.recording("map")
    if mapped is None or mapped.steps < 1 or mapped.ops is None:
        raise AttributionError("the run was stopped before one whole step had been recorded")
    lines = timeline.recording("lines")
    notes = list(timeline.notes)
    step_ms = _step_time(timeline, mapped, notes)
    places, fetches, thread = timeline.places, timeline.fetches, timeline.step_thread
    if lines is not None and lines.steps:
        clean_ns = step_ms.median * 1e6 if timeline.facts["clean_ns"] else None
        host = host_ledger(lines, places, fetches, thread, clean_ns)
    else:
        host = host_ledger(mapped, places, fetches, thread)
    pause()
    owned = own(timeline, mapped)
    pause()
    swept = sweep(timeline, mapped, owned)
    pause()
    device = None
    if timeline.facts["device_type"] != "cpu":
        device = device_ledger(timeline, mapped, owned)
        if not device.busy:
            notes.append("No device event was recorded, so device time is not measured.")
            device = None
        elif mapped.from_trace and device.launched_ns > _BEHIND * swept.span_ns:
            per_step = fmt.duration(device.launched_ns / 1e6 / max(1, device.steps))
            notes.append(
                "The device fell behind the host while this was recorded: the work of one step "
                f"keeps it busy for {per_step}, which is what a step takes in the long run."
            )
    pause()
    detail = Recorded(mapped, owned) if mapped.from_trace else _detail(timeline)
    memory, done = _examined(timeline, detail)
    pause()
    notes += memory.notes if memory is not None else ()
    ledgers = _scale(timeline, step_ms, host, swept, device, memory, done)
    profile = _profile(ledgers, mapped, swept, tuple(dict.fromkeys(notes)))
    return Attributed(profile, ledgers, Recorded(mapped, owned), detail)


def _step_time(timeline: Timeline, mapped: Recording, notes: list[str]) -> StepTime:
    durations = sorted(timeline.facts["clean_ns"])
    if not durations:
        durations = sorted(b - a for a, b in zip(mapped.bounds, mapped.bounds[1:], strict=False))
        notes.append(
            "The trace was recorded with the profiler on, so its times include what that cost."
            if mapped.from_trace
            else "The script makes too few steps for a pass without the profiler, so the step time "
            "includes what the profiler cost."
        )
    if len(durations) == 1:
        value = durations[0] / 1e6
        return StepTime(value, value, value, value)
    deciles = statistics.quantiles(durations, n=10, method="inclusive")
    return StepTime(
        median=statistics.median(durations) / 1e6,
        p10=deciles[0] / 1e6,
        p90=deciles[8] / 1e6,
        mean=statistics.fmean(durations) / 1e6,
    )


def _detail(timeline: Timeline) -> Recorded | None:
    recording = timeline.recording("detail")
    if recording is None or recording.ops is None or not recording.steps:
        return None
    return Recorded(recording, own(timeline, recording))


def _examined(timeline: Timeline, detail: Recorded | None) -> tuple[MemoryLedger | None, Efforts]:
    if detail is None:
        return None, Efforts()
    if detail.recording.from_trace:
        memory = recorded_memory(timeline, detail.recording, detail.owned)
        if not timeline.facts["with_shapes"]:
            return memory, Efforts()
        allocated = memory.by_operator if memory is not None else {}
        return memory, efforts(timeline, detail.recording, detail.owned, allocated)
    memory = memory_ledger(timeline, detail.recording, detail.owned)
    allocated = memory.by_operator if memory is not None else {}
    return memory, efforts(timeline, detail.recording, detail.owned, allocated)


def _peaks(timeline: Timeline) -> Peaks:
    from stepscope.attribution.devices import known_peaks

    measured = timeline.facts["peaks"]
    known = known_peaks(timeline.facts["device_name"])
    source = "measured on this device"
    if known is not None:
        source = f"the data sheet of {known.name}"
    return Peaks(
        known.float32 if known else measured.get("float32"),
        known.half if known else measured.get("bfloat16"),
        known.bandwidth if known else measured.get("bandwidth"),
        measured.get("launch_ns"),
        source,
    )


def _scale(
    timeline: Timeline,
    step_ms: StepTime,
    host: HostLedger,
    swept: Sweep,
    device: DeviceLedger | None,
    memory: MemoryLedger | None,
    done: Efforts,
) -> Ledgers:
    """Bring every ledger to ms per clean step."""
    per_step = 1 / max(1, swept.steps)
    to_clean = step_ms.median / max(host.step_ns, 1.0)
    host_ms = {place: ns * to_clean for place, ns in host.by_place.items()}
    mapped: dict[int, float] = defaultdict(float)
    for (place, _), ns in swept.in_ops.items():
        mapped[place] += ns * per_step
    for place, ns in swept.in_python.items():
        mapped[place] += ns * per_step
    whole = step_ms.median / max(sum(mapped.values()), 1.0)
    factor = {
        place: host_ms[place] / ns if place in host_ms and ns else whole
        for place, ns in mapped.items()
    }
    op_work = {key: ns * per_step * factor[key[0]] for key, ns in swept.in_ops.items()}
    python = {place: ns * per_step * factor[place] for place, ns in swept.in_python.items()}
    for place, ms in host_ms.items():
        if place not in mapped:
            python[place] = python.get(place, 0.0) + ms
    # Lines that ran in one recording only leave the sum a little off the step: spread that evenly.
    total = sum(op_work.values()) + sum(python.values())
    level = step_ms.median / total if total else 1.0
    op_work = {key: ms * level for key, ms in op_work.items()}
    python = {place: ms * level for place, ms in python.items()}
    device_scale = 0.0
    if device is not None:
        device_scale = 1e-6 / max(1, device.steps)
        if not timeline.facts["clean_ns"]:
            # The recording's own steps are the step time: busy and idle divide their average.
            device_scale *= step_ms.median / max(swept.span_ns * per_step * 1e-6, 1e-9)
        busy = device.busy_ns * device_scale
        if busy > step_ms.median:
            device_scale *= step_ms.median / busy
    return Ledgers(
        timeline=timeline,
        step_ms=step_ms,
        host=host_ms,
        data_wait={place: ns * to_clean for place, ns in host.data_wait.items()},
        calls=host.calls,
        op_work=op_work,
        other_work={key: ns * per_step * whole for key, ns in swept.elsewhere.items()},
        python=python,
        efforts=done,
        peaks=_peaks(timeline),
        memory=memory,
        device=device,
        device_scale=device_scale,
        counts={key: number * per_step for key, number in swept.counts.items()},
        recomputed_ms=(
            sum(device.again.values()) * device_scale
            if device
            else swept.again_ns * per_step * whole
        ),
        workers=worker_ledger(timeline),
        loop_share={key: ns * per_step * whole for key, ns in swept.loop_ns.items()},
    )


def _profile(ledgers: Ledgers, mapped: Recording, swept: Sweep, notes: tuple[str, ...]) -> Profile:
    facts = ledgers.timeline.facts
    lines, unattributed = lines_module.build_lines(ledgers, mapped)
    step = ledgers.step_ms.median
    device = ledgers.device
    work = sum(line.work_ms for line in lines)
    exact_work = sum(line.work_ms for line in lines if line.exact)
    exact_host = sum(line.host_ms for line in lines if line.exact)
    all_work = work + unattributed.work_ms
    breakdown = processor_breakdown(ledgers) if device is None else accelerator_breakdown(ledgers)
    span = swept.span_ns / 1e6
    busy = device.busy_ns / 1e6 if device else None
    if mapped.from_trace:
        span, busy = whole_recording(mapped)
    return Profile(
        run=RunInfo(
            target=facts["target"],
            args=tuple(facts["args"]),
            python=facts["python"],
            torch=facts["torch"],
            device=facts["device"],
            started=facts["started"],
            steps=facts["steps"],
            warmup=facts["warmup"],
            boundary=facts["boundary"],
            model=facts["model"],
            process=facts["process"],
            assumed=Assumed(**facts["assumed"]) if facts["assumed"] else None,
            files=_files(facts["files"]) if facts["files"] else None,
        ),
        step_ms=ledgers.step_ms,
        tax=None if mapped.from_trace else _tax(swept, step),
        totals=Totals(
            span,
            span,
            busy,
            device.communication_ns / 1e6 if device is not None else None,
            device.hidden_ns / 1e6 if device is not None else None,
        ),
        breakdown=breakdown,
        coverage=Coverage(
            exact_host / step if step else 0.0, exact_work / all_work if all_work else 1.0
        ),
        lines=lines,
        unattributed=unattributed,
        recomputed_ms=ledgers.recomputed_ms,
        memory=_memory_profile(ledgers),
        sources=_sources({line.file for line in lines}, facts),
        notes=notes,
        work_measured=mapped.ops is not None and len(mapped.ops) > 0,
        whole_functions=mapped.functions_only,
    )


def _tax(swept: Sweep, step_ms: float) -> float:
    return swept.span_ns / 1e6 / max(1, swept.steps) / step_ms if step_ms else 1.0


def _files(told: dict[str, Any]) -> FilesTouched:
    return FilesTouched(told["guard"], tuple(told["kept"]), tuple(told["created"]))


def _memory_profile(ledgers: Ledgers) -> MemoryProfile | None:
    memory = ledgers.memory
    if memory is None:
        return None
    where: LineKey | None = None
    if memory.peak_place != NOWHERE:
        place = ledgers.timeline.places[memory.peak_place]
        where = (place.file, place.line)
    return MemoryProfile(
        memory.peak_bytes,
        memory.reserved_bytes,
        where,
        memory.categories,
        memory.timeline,
        memory.before_bytes,
    )


def _sources(files: set[str], facts: dict[str, Any]) -> dict[str, str]:
    """The text of each file that has a cost: the target's as it ran, others if still readable."""
    # Of a recorded trace nobody knows which file was the target.
    found = {facts["target"]: facts["source"]} if facts["source"] is not None else {}
    return found | read_sources(files - {facts["target"]})
