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
    ``num_workers`` None: there are some, and how many a trace does not say; nor does one say
    whether they stay (``persistent_workers``) and whether batches are pinned (``pin_memory``).
    ``construct`` is the user line that called ``DataLoader(...)``; ``loop`` the line that waits.
    ``waits_ms`` are the single waits but for the first of an epoch (ms); ``epochs_per_step`` is how
    often the loop over the loader began anew, ``epoch_gap_ms`` what that took each time: ending the
    workers of the last epoch, making the iterator and new ones, and waiting for the first batch
    (None: it did not happen).
    ``collate`` is (file, function) of the code that puts a batch together, None if it is not known.
    """

    construct: LineKey | None
    loop: LineKey | None
    num_workers: int | None
    batch_size: int | None
    wait_ms: float
    fetch_cpu_ms: float | None
    batches_per_step: float
    persistent_workers: bool | None = None
    prefetch_factor: int | None = None
    pin_memory: bool | None = None
    waits_ms: tuple[float, ...] = ()
    epochs_per_step: float = 0.0
    epoch_gap_ms: float | None = None
    collate: tuple[str, str] | None = None

    @property
    def key(self) -> LineKey | None:
        """The line to change: where the loader is made, else where it is read."""
        return self.construct or self.loop


@dataclass(frozen=True, slots=True)
class Loaders:
    """Every loader that was read in the measured steps."""

    all: tuple[LoaderFacts, ...]

    def with_workers(self) -> tuple[LoaderFacts, ...]:
        """Those that load in worker processes, as far as it is known."""
        return tuple(loader for loader in self.all if loader.num_workers)
