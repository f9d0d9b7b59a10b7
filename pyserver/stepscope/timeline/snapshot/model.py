"""What a memory snapshot tells, as columns. Times are ns since the epoch, sizes bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from stepscope.timeline.model import Place

ALLOC, FREE, RESERVE, RELEASE, OUT_OF_MEMORY = range(5)
"""What the allocator did. Free is when the memory's owner let go of it (``free_requested``)."""


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """A block that was in use when the snapshot was taken. ``place`` is of its allocation."""

    address: int
    size: int
    place: int


@dataclass(slots=True)
class AllocatorHistory:
    """One device. ``places`` index ``Snapshot.places``, or are ``NOWHERE``.

    ``time`` is None where the snapshot holds no times (before torch 2.2). Of a request that failed
    (``OUT_OF_MEMORY``) ``address`` is how many bytes the device still had. ``reserved`` is what the
    allocator held when the snapshot was taken.
    """

    device: int
    live: list[LiveBlock]
    reserved: int
    action: Sequence[int]
    time: Sequence[int] | None
    address: Sequence[int]
    size: Sequence[int]
    place: Sequence[int]


@dataclass(slots=True)
class Snapshot:
    """A file of ``_dump_snapshot``. ``main`` is the outermost user file of most stacks."""

    path: str
    places: list[Place]
    devices: list[AllocatorHistory]
    main: str | None = None
    notes: list[str] = field(default_factory=list)
