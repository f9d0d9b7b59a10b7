"""What the memory of the model's device holds, and what the allocator has to do for it.

Sizes are bytes, times ms per step; lines are 1-based; paths absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class Requests:
    """Memory that one line's operators asked the device itself for, or gave back, per step."""

    line: LineKey
    calls: float
    ms: float


@dataclass(frozen=True, slots=True)
class OptimizerMemory:
    """One optimizer that stepped. ``line`` is that of its construction, where it is to be seen."""

    name: str
    line: LineKey | None
    foreach: bool
    fused: bool
    can_fuse: bool
    parameter_bytes: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class Memory:
    """None where not measured; ``device_bytes`` is None on the CPU.

    ``growth_bytes`` per step over the undisturbed steps, or over the examined one on the CPU.
    ``held`` is what was made in one step and outlived the next, by allocating line; ``old`` what
    earlier steps had made and was still there at the peak, by the line that let go of it.
    ``retries`` per step: times that the allocator found no memory, gave all its cache back and
    tried again.
    """

    peak_bytes: int
    device_bytes: int | None
    reserved_bytes: int | None
    growth_bytes: float
    held: tuple[tuple[LineKey, int], ...] | None
    old: tuple[tuple[LineKey, int], ...]
    retries: float | None
    requests: tuple[Requests, ...]
    optimizers: tuple[OptimizerMemory, ...]
