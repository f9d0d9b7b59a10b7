"""Prepared facts that rules read. Rules see no raw trace and do no IO.

``None`` means not measured: a rule that needs such a fact abstains.
Times are ms per step unless a name says otherwise; lines are 1-based; paths absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey, Profile


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the run happened.

    ``float32_peak`` and ``bfloat16_peak`` are FLOP/s measured by calibration, or taken from the
    table of known devices; ``peaks_source`` says which.
    """

    device: str  # "cpu" or "cuda"
    device_name: str
    cores: int  # that this process may use
    threads: int  # torch's intra-op threads
    float32_peak: float | None
    bfloat16_peak: float | None
    peaks_source: str


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
class MatmulFacts:
    """Matrix products and convolutions of the step, by dtype.

    ``float32_ms`` is their share of ``work_ms`` (forward and backward) that ran on float32 inputs
    outside autocast; ``total_ms`` all of them. ``loop_line`` is the line of the step's own loop
    under which most of the float32 forward time was spent: the statement to wrap in autocast.
    ``memory_bound_ms`` is the part of ``float32_ms`` on lines bound by memory or overhead, which
    a faster matrix unit cannot help. ``tf32`` is True when CUDA already runs float32 as TF32.
    """

    total_ms: float
    float32_ms: float
    memory_bound_ms: float
    loop_line: LineKey | None
    tf32: bool | None


@dataclass(frozen=True, slots=True)
class SyncFacts:
    """Host-device synchronisations that one user line makes inside the step.

    ``kind`` is "item", "cpu", "print", "bool", "nonzero" or "synchronize".
    ``wait_ms`` is how long the host was blocked in them, per step; None on a machine without an
    accelerator, where they do not block.
    """

    line: LineKey
    kind: str
    per_step: float
    wait_ms: float | None


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a rule may look at."""

    profile: Profile
    machine: Machine
    loaders: tuple[LoaderFacts, ...]
    matmul: MatmulFacts | None
    syncs: tuple[SyncFacts, ...]
