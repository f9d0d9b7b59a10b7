"""How many samples a step gets: enough to keep the machine busy, well within its memory."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from .inputs import Inputs
from .trial import FAILURES, Trial

_ENOUGH_S = 0.1  # a step this long is not made of overheads
_LARGEST = {"cpu": 64, "cuda": 512}
_MEMORY_SHARE = 0.3  # of what is free, for the whole process
_TOTAL_S = 6.0


def free_memory(torch: Any, device: str) -> int | None:
    """Bytes that can still be taken; None where the system does not say."""
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(torch.device(device))[0])
    free = None
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    if free is None:
        with contextlib.suppress(ValueError, OSError, AttributeError):
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ):
        with contextlib.suppress(OSError, ValueError):
            with open(limit, encoding="ascii") as most, open(used, encoding="ascii") as now:
                left = int(most.read()) - int(now.read())
            free = left if free is None else min(free, left)
    return free


def parameter_bytes(torch: Any, model: Any) -> int:
    """Of parameters and buffers, on whatever device; lazy ones count nothing yet."""
    lazy = torch.nn.parameter.UninitializedTensorMixin
    held = [*model.parameters(), *model.buffers()]
    return sum(t.numel() * t.element_size() for t in held if not isinstance(t, lazy))


def raised_batch(
    trial: Trial, model: Any, inputs: Inputs, batch: int, first_s: float, device: str
) -> int:
    """The number of samples to use, doubled from ``batch``, which is known to work.

    Every size that is chosen has run forward and backward once.
    """
    if not inputs.has_batch:
        return batch
    torch = trial.torch
    kind = "cuda" if device.startswith("cuda") else "cpu"
    spent, seconds = first_s, first_s
    while batch * 2 <= _LARGEST[kind] and spent + 2 * seconds < _TOTAL_S and seconds < _ENOUGH_S:
        free = free_memory(torch, device)
        before = _taken(torch, kind)
        try:
            args, kwargs = trial.arguments(inputs, batch * 2, device)
            seconds = trial.step(model, args, kwargs).seconds
        except FAILURES:
            break
        batch *= 2
        spent += seconds
        grown = _taken(torch, kind) - before
        # The next doubling takes at least what this one took again.
        if free is not None and 2 * grown > _MEMORY_SHARE * free:
            break
    return batch


def _taken(torch: Any, kind: str) -> int:
    """Most memory in bytes that this process ever held; 0 where the system does not say."""
    if kind == "cuda":
        return int(torch.cuda.max_memory_allocated())
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
