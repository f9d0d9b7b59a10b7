"""What each user line asks torch for, with everything that it caused: operators, copies, waits.

Counts and times are per step (ms); lines are 1-based; paths absolute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of one direction under one call.

    ``direction`` is "HtoD", "DtoH" or "DtoD". ``pageable`` is None where the runtime does not say
    what kind of memory the host's side is. ``device_ms`` is how long the copies themselves take.
    """

    direction: str
    pageable: bool | None
    per_step: float
    device_ms: float


@dataclass(frozen=True, slots=True)
class Call:
    """An operator that a line calls itself (no other operator is around it), forward only.

    ``inner`` names the operators below it. ``host_ms`` is the wall time of the step's thread in it,
    ``device_ms`` the device's busy time for it (None without an accelerator), ``blocked_ms`` the
    part of ``host_ms`` in which it waited for the device. ``loading`` says that it ran while a
    DataLoader was asked for a batch. ``shapes`` and ``dtypes`` are those seen first, in words.
    """

    line: LineKey
    name: str
    per_step: float
    host_ms: float
    device_ms: float | None
    blocked_ms: float | None
    inner: frozenset[str]
    copies: tuple[Copies, ...]
    loading: bool
    shapes: str
    dtypes: str

    @property
    def work_ms(self) -> float:
        """What it takes where the work is done: on the device, else on the thread."""
        return self.host_ms if self.device_ms is None else self.device_ms

    def copied(self, direction: str) -> float:
        """Copies of that direction per step."""
        return sum(copy.per_step for copy in self.copies if copy.direction == direction)


@dataclass(frozen=True, slots=True)
class Calls:
    """All of them, by line."""

    all: tuple[Call, ...]

    def by_line(self) -> Iterator[tuple[LineKey, list[Call]]]:
        """Each line with its calls, those of loaders left out."""
        found: dict[LineKey, list[Call]] = {}
        for call in self.all:
            if not call.loading:
                found.setdefault(call.line, []).append(call)
        yield from sorted(found.items())
