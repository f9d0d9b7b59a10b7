"""The process group, DistributedDataParallel's settings, and what both cost."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class Replica:
    """One model in DistributedDataParallel. ``unused_bytes`` and ``buckets``: None if not known."""

    find_unused_parameters: bool
    static_graph: bool
    gradient_as_bucket_view: bool
    gradient_bytes: int
    unused_bytes: int | None
    buckets: int | None


@dataclass(frozen=True, slots=True)
class Reduction:
    """Collectives that a user line starts itself: how many per step, and the host's time in it."""

    line: LineKey
    per_step: float
    host_ms: float


@dataclass(frozen=True, slots=True)
class Distributed:
    """Times in ms per step.

    ``forwards`` counts forward passes through DDP per step, ``reductions`` its all-reduces.
    ``copies_ms`` is copying gradients into buckets and back, ``search_ms`` looking for unused
    parameters. ``exposed_ms`` is communication during which the device computes nothing, None
    without an accelerator; ``exposed_line`` where most of it belongs.
    """

    backend: str
    size: int
    replicas: tuple[Replica, ...]
    forwards: float
    reductions: float
    copies_ms: float
    search_ms: float
    exposed_ms: float | None
    exposed_line: LineKey | None
    own: tuple[Reduction, ...]
