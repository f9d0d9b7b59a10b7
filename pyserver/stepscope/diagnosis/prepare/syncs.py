"""Blocking calls, or operators that would block on a device -> ``Syncs``."""

from __future__ import annotations

import re
from collections import defaultdict

from stepscope.attribution.attribute import Attributed, Ledgers
from stepscope.attribution.model import LineKey, Profile
from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
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


def prepare(attributed: Attributed) -> Syncs:
    """With an accelerator what blocked, without one what would."""
    profile, ledgers = attributed.profile, attributed.ledgers
    if ledgers.device is not None:
        return Syncs(_measured_syncs(profile, ledgers))
    return Syncs(_possible_syncs(profile, ledgers))


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
