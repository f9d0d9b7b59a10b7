"""What the step's DataLoaders are set to and how long they are waited for.

Times are ms per step; lines are 1-based; paths absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class LoaderFacts:
    """One ``torch.utils.data.DataLoader`` that the step's loop reads from.

    ``wait_ms`` is the time per step that the step's thread spent inside the loader's ``__next__``.
    ``fetch_cpu_ms`` is the processor time the thread itself used meanwhile (ms per step).
    ``construct`` is the user line that called ``DataLoader(...)``; ``loop`` the line that waits.
    """

    construct: LineKey | None
    loop: LineKey | None
    num_workers: int
    batch_size: int | None
    wait_ms: float
    fetch_cpu_ms: float | None
    batches_per_step: float


@dataclass(frozen=True, slots=True)
class Loaders:
    """Every loader that was read in the measured steps."""

    all: tuple[LoaderFacts, ...]
