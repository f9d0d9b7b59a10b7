"""Synchronisations."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
from tests.factories import TARGET
from tests.unit.diagnosis.builders import PRINT


def sync(**fields: Any) -> SyncFacts:
    """``print(loss.item())`` in each step, which waits for 6 ms."""
    values: dict[str, Any] = {
        "line": (TARGET, PRINT),
        "kind": "item",
        "per_step": 1.0,
        "wait_ms": 6.0,
    } | fields
    return SyncFacts(**values)


def syncs(*every: SyncFacts) -> Syncs:
    """The lines that synchronise."""
    return Syncs(every)
