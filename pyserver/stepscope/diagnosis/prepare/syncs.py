"""Blocking calls, or operators that would block on a device -> ``Syncs``."""

from __future__ import annotations

import re
from collections import defaultdict

from stepscope.attribution.attribute import Attributed, Ledgers
from stepscope.attribution.model import LineKey, Profile
from stepscope.diagnosis.facts.calls import Calls
from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
from stepscope.diagnosis.prepare import calls
from stepscope.timeline.model import NOWHERE

_READS_A_VALUE = re.compile(r"\.(item|tolist|cpu|numpy)\(")
# A value drawn from a generator lives on the CPU anyway: reading it never waits for a device.
_DRAWN = re.compile(r"torch\.(rand|randn|randint|randperm|empty|tensor)\(.*\)\.(item|tolist)\(")
_SYNC_KINDS = {
    "aten::item": "item",
    "aten::_local_scalar_dense": "item",
    "aten::is_nonzero": "bool",
    "aten::to": "cpu",
    "aten::_to_copy": "cpu",
    "aten::copy_": "cpu",
    # Results whose size depends on values.
    "aten::nonzero": "nonzero",
    "aten::argwhere": "nonzero",
    "aten::where": "nonzero",
    "aten::masked_select": "nonzero",
    "aten::unique_consecutive": "nonzero",
    "aten::unique_dim": "nonzero",
    "aten::_unique": "nonzero",
    "aten::_unique2": "nonzero",
    "aten::repeat_interleave": "nonzero",
    "aten::index": "nonzero",  # by a mask, unless an index came from the host
    "aten::index_put_": "nonzero",
}
_BY_MASK = frozenset(("aten::index", "aten::index_put_", "aten::where"))
_FROM_HOST = {"cpu": "upload", "nonzero": "index"}
"""What a call of this kind is if it copies to the device and nothing back."""


def prepare(attributed: Attributed) -> Syncs:
    """With an accelerator what blocked, without one what would."""
    profile, ledgers = attributed.profile, attributed.ledgers
    if ledgers.device is not None:
        return Syncs(_measured_syncs(profile, ledgers, calls.prepare(attributed)))
    return Syncs(_possible_syncs(profile, ledgers, calls.prepare(attributed)))


def _measured_syncs(
    profile: Profile, ledgers: Ledgers, known: Calls | None
) -> tuple[SyncFacts, ...]:
    """Lines on which the host was blocked by the device, by the call that took longest there."""
    device = ledgers.device
    assert device is not None
    uploads = _uploads(known)
    found = []
    for place, ns in device.waits.sync.items():
        if place == NOWHERE:
            continue
        where = ledgers.timeline.places[place]
        key = (where.file, where.line)
        names = device.waits.calls.get(place, {})
        cause = max(names, key=lambda name: names[name], default="")
        kind = _SYNC_KINDS.get(cause, "synchronize")
        if (key, cause) in uploads:
            kind = _FROM_HOST.get(kind, kind)
        elif kind in ("item", "cpu") and "print(" in _source_line(profile, *key):
            kind = "print"
        found.append(
            SyncFacts(
                line=key,
                kind=kind,
                per_step=sum(names.values()) / max(1, device.steps),
                wait_ms=ns * 1e-6 / max(1, device.steps),
            )
        )
    return tuple(found)


def _uploads(calls: Calls | None) -> set[tuple[LineKey, str]]:
    """(line, operator) of calls that copy to the device and nothing back."""
    return {
        (call.line, call.name)
        for call in (calls.all if calls is not None else ())
        if call.copied("HtoD") and not call.copied("DtoH")
    }


def _possible_syncs(
    profile: Profile, ledgers: Ledgers, known: Calls | None
) -> tuple[SyncFacts, ...]:
    """On the CPU nothing blocks: lines of the step that read a tensor's value, without a wait."""
    timeline = ledgers.timeline
    kinds = {
        i: _SYNC_KINDS[name]
        for i, name in enumerate(timeline.strings)
        if name == "aten::item" or _SYNC_KINDS.get(name) in ("bool", "nonzero")
    }
    # Indexing has a mask, and `where` one argument, only if it asks for the places that are set.
    by_mask = {
        call.line
        for call in (known.all if known is not None else ())
        if call.name in _BY_MASK and "aten::nonzero" in call.inner
    }
    maybe = {i for i, name in enumerate(timeline.strings) if name in _BY_MASK}
    per_line: dict[tuple[LineKey, str], float] = defaultdict(float)
    for (owner, name, backward), number in ledgers.counts.items():
        if name in kinds and owner != NOWHERE and not backward:
            # Inside a loader everything is on the CPU by design.
            if ledgers.data_wait.get(owner, 0.0) > 0.5 * ledgers.host.get(owner, 0.0):
                continue
            place = timeline.places[owner]
            key = (place.file, place.line)
            if name in maybe and key not in by_mask:
                continue
            per_line[(key, kinds[name])] += number
    found = []
    for (key, kind), number in sorted(per_line.items()):
        if kind == "item":
            text = _source_line(profile, *key)
            if not _READS_A_VALUE.search(text) or _DRAWN.search(text):
                continue
            kind = "print" if "print(" in text else "item"
        found.append(SyncFacts(key, kind, number, None))
    return tuple(found)


def _source_line(profile: Profile, file: str, line: int) -> str:
    lines = profile.sources.get(file, "").splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""
