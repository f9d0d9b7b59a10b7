"""Two sources of allocations: the profiler's events and the CUDA allocator's own history."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.timeline.model import MemoryEvents

_NO_THREAD = -1


def complete(memory: MemoryEvents, history: Sequence[Sequence[int]], device: int) -> MemoryEvents:
    """Add what the profiler did not report: blocks at addresses only the history knows.

    The profiler's events carry the thread, and so the operator; they are kept where both sources
    know an address, also because the history counts requested bytes and the profiler whole blocks.
    ``history`` holds (time in ns, address, bytes; negative when freed), as the allocator did it.
    """
    reported = {
        address
        for address, where in zip(memory.address, memory.device, strict=True)
        if where == device
    }
    missed = [
        (time, address, size, _NO_THREAD, device)
        for time, address, size in history
        if address not in reported
    ]
    if not missed:
        return memory
    known = zip(memory.time, memory.address, memory.size, memory.thread, memory.device, strict=True)
    rows = sorted([*known, *missed], key=lambda row: row[0])
    return MemoryEvents(*(list(column) for column in zip(*rows, strict=True)))
