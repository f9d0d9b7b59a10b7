"""Ledgers -> the facts that rules read."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from stepscope.attribution.attribute import Attributed, Ledgers
from stepscope.attribution.flops import is_matmul
from stepscope.attribution.model import LineKey, Profile
from stepscope.attribution.regime import regime_of
from stepscope.diagnosis.facts import Facts, LoaderFacts, Machine, MatmulFacts, SyncFacts
from stepscope.timeline.model import NOWHERE

_READS_A_VALUE = re.compile(r"\.(item|tolist|cpu|numpy)\(")
# A value drawn from a generator lives on the CPU anyway: reading it never waits for a device.
_DRAWN = re.compile(r"torch\.(rand|randn|randint|randperm|empty|tensor)\(.*\)\.(item|tolist)\(")
_SYNC_KINDS = {
    "aten::item": "item",
    "aten::_local_scalar_dense": "item",
    "aten::is_nonzero": "bool",
    "aten::nonzero": "nonzero",
    "aten::to": "cpu",
    "aten::_to_copy": "cpu",
    "aten::copy_": "cpu",
}


def prepare_facts(attributed: Attributed) -> Facts:
    """Everything a rule may look at, from one attributed run."""
    profile, ledgers = attributed.profile, attributed.ledgers
    return Facts(
        profile=profile,
        machine=_machine(ledgers),
        loaders=_loaders(ledgers),
        matmul=_matmul(ledgers),
        syncs=_syncs(profile, ledgers),
    )


def _machine(ledgers: Ledgers) -> Machine:
    facts, peaks = ledgers.timeline.facts, ledgers.peaks
    return Machine(
        device=facts["device_type"],
        device_name=facts["device_name"],
        cores=facts["cores"],
        threads=facts["threads"],
        float32_peak=peaks.float32,
        bfloat16_peak=peaks.half,
        peaks_source=peaks.source,
    )


def _loaders(ledgers: Ledgers) -> tuple[LoaderFacts, ...]:
    """Waits from the clean pass, whose steps nothing disturbed; else from the first recording."""
    timeline = ledgers.timeline
    recording = timeline.recording("clean") or timeline.recording("map")
    if recording is None or recording.steps < 1:
        return ()
    begin, end = recording.bounds[0], recording.bounds[-1]
    if end <= begin:
        return ()
    # Shares of the pass, so that the waits fit the median step that everything else is scaled to.
    to_step = ledgers.step_ms.median / (end - begin)
    waited: dict[int, int] = defaultdict(int)
    worked: dict[int, int] = defaultdict(int)
    batches: dict[int, int] = defaultdict(int)
    fetches = timeline.fetches
    for start, stop, cpu, loader, thread in zip(
        fetches.start, fetches.end, fetches.cpu, fetches.loader, fetches.thread, strict=True
    ):
        if begin <= start < end and thread == timeline.step_thread:
            waited[loader] += stop - start
            worked[loader] += cpu
            batches[loader] += 1
    found = []
    for number, entry in enumerate(timeline.facts["loaders"]):
        if number in waited:
            found.append(
                LoaderFacts(
                    construct=_key(entry.get("construct")),
                    loop=_key(entry.get("loop")),
                    num_workers=entry["num_workers"],
                    batch_size=entry.get("batch_size"),
                    wait_ms=waited[number] * to_step,
                    fetch_cpu_ms=worked[number] * to_step,
                    batches_per_step=batches[number] / recording.steps,
                )
            )
    return tuple(found)


def _key(site: Any) -> LineKey | None:
    return None if site is None else (site[0], site[1])


def _matmul(ledgers: Ledgers) -> MatmulFacts | None:
    if not ledgers.efforts.by_key:
        return None  # no shapes and dtypes were recorded
    timeline = ledgers.timeline
    total = float32 = bound = 0.0
    names = set()
    for key, ms in ledgers.work_by_key().items():
        effort = ledgers.efforts.by_key.get(key)
        if effort is None or not is_matmul(timeline.strings[key[1]]):
            continue
        total += ms
        dtypes = ledgers.efforts.shapes.get(key, ("", ""))[1]
        if "float32" not in dtypes:
            continue
        float32 += ms
        names.add(key[1])
        if regime_of(effort, ms, ledgers.peaks)[0] != "compute":
            bound += ms
    by_loop: dict[int, float] = defaultdict(float)
    for (place, name), ms in ledgers.loop_share.items():
        if name in names and place != NOWHERE:
            by_loop[place] += ms
    loop_line = None
    if by_loop:
        most = timeline.places[max(by_loop, key=lambda number: by_loop[number])]
        loop_line = (most.file, most.line)
    tf32 = timeline.facts["tf32"] if ledgers.device is not None else None
    return MatmulFacts(total, float32, bound, loop_line, tf32)


def _syncs(profile: Profile, ledgers: Ledgers) -> tuple[SyncFacts, ...]:
    if ledgers.device is not None:
        return _measured_syncs(profile, ledgers)
    return _possible_syncs(profile, ledgers)


def _measured_syncs(profile: Profile, ledgers: Ledgers) -> tuple[SyncFacts, ...]:
    """Lines on which the host was blocked by the device."""
    device = ledgers.device
    assert device is not None
    found = []
    for place, ns in device.waits.sync.items():
        if place == NOWHERE:
            continue
        where = ledgers.timeline.places[place]
        calls = device.waits.calls.get(place, {})
        cause = max(calls, key=lambda name: calls[name], default="")
        kind = _SYNC_KINDS.get(cause, "synchronize")
        if "print(" in _source_line(profile, where.file, where.line):
            kind = "print"
        found.append(
            SyncFacts(
                line=(where.file, where.line),
                kind=kind,
                per_step=sum(calls.values()) / max(1, device.steps),
                wait_ms=ns * 1e-6 / max(1, device.steps),
            )
        )
    return tuple(found)


def _possible_syncs(profile: Profile, ledgers: Ledgers) -> tuple[SyncFacts, ...]:
    """On the CPU nothing blocks: lines of the step that read a tensor's value, without a wait."""
    timeline = ledgers.timeline
    reads = {i for i, name in enumerate(timeline.strings) if name == "aten::item"}
    per_line: dict[LineKey, float] = defaultdict(float)
    for (owner, name, backward), number in ledgers.counts.items():
        if name in reads and owner != NOWHERE and not backward:
            # Inside a loader everything is on the CPU by design.
            if ledgers.data_wait.get(owner, 0.0) > 0.5 * ledgers.host.get(owner, 0.0):
                continue
            place = timeline.places[owner]
            per_line[(place.file, place.line)] += number
    found = []
    for (file, line), number in sorted(per_line.items()):
        text = _source_line(profile, file, line)
        if _READS_A_VALUE.search(text) and not _DRAWN.search(text):
            kind = "print" if "print(" in text else "item"
            found.append(SyncFacts((file, line), kind, number, None))
    return tuple(found)


def _source_line(profile: Profile, file: str, line: int) -> str:
    lines = profile.sources.get(file, "").splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""
