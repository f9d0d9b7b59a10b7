"""What the step's DataLoaders are set to and how long they are waited for.

Times are ms per step; lines are 1-based; paths absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class LoaderFacts:
    """One ``torch.utils.data.DataLoader`` that the step's loop reads from.

    ``wait_ms`` is the time per step that the step's thread spent inside the loader's ``__next__``,
    with an accelerator only the part of it in which that had nothing to do.
    ``fetch_cpu_ms`` is the processor time the thread itself used meanwhile (ms per step).
    ``num_workers`` None: there are some, and how many a trace does not say.
    ``construct`` is the user line that called ``DataLoader(...)``; ``loop`` the line that waits.
    """

    construct: LineKey | None
    loop: LineKey | None
    num_workers: int | None
    batch_size: int | None
    wait_ms: float
    fetch_cpu_ms: float | None
    batches_per_step: float


@dataclass(frozen=True, slots=True)
class Loaders:
    """Every loader that was read in the measured steps."""

    all: tuple[LoaderFacts, ...]
