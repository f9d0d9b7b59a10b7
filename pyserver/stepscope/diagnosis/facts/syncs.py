"""Host-device synchronisations inside the step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class SyncFacts:
    """Host-device synchronisations that one user line makes inside the step.

    ``kind`` is "item", "cpu", "print", "bool", "nonzero" (a size depends on values), "index" (by a
    tensor of the host), "upload" (to the device) or "synchronize".
    ``wait_ms`` is how long the host was blocked in them, per step; None on a machine without an
    accelerator, where they do not block.
    """

    line: LineKey
    kind: str
    per_step: float
    wait_ms: float | None


@dataclass(frozen=True, slots=True)
class Syncs:
    """Every line that synchronises; on a machine without an accelerator, that would."""

    all: tuple[SyncFacts, ...]

    def of_kind(self, *kinds: str) -> tuple[SyncFacts, ...]:
        """Those of these kinds, by line."""
        return tuple(sorted((s for s in self.all if s.kind in kinds), key=lambda s: s.line))
