"""How long single batches take in a DataLoader's worker processes."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerBatches:
    """``by_worker``: of each worker process the batches that were recorded, ms.

    They were made under the line clock, so they are a little longer than usual.
    """

    by_worker: tuple[tuple[float, ...], ...]

    @property
    def typical_ms(self) -> float:
        """The median over all batches, ms."""
        return statistics.median(ms for batches in self.by_worker for ms in batches)
