"""What a recording may cost, and what spoils it: memory, time, a compile in its middle."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Any

MAX_PASS_S = 60.0
"""A pass longer than this ends after the first whole step in it."""
MAX_GROWTH_BYTES = 3 << 30
"""A recorded event costs about 1.7 kB until the profiler stops: some two million of them."""
SHARE_OF_FREE = 0.4
MAX_MOVES = 3
"""How often a pass begins anew because something was compiled in it."""
_LOOK_EVERY_NS = 50_000_000


class Compiles:
    """Whether torch.compile compiles anything from now on."""

    def __init__(self) -> None:
        self._seen = self._count()

    def happened(self) -> bool:
        """Whether a frame was compiled."""
        return self._count() != self._seen

    @staticmethod
    def _count() -> int:
        # Not imported: a script that does not compile must not pay for torch._dynamo.
        utilities: Any = sys.modules.get("torch._dynamo.utils")
        counters = getattr(utilities, "counters", None)
        if counters is None:
            return 0
        return int(counters["frames"]["total"])


class Budget:
    """Memory and time that one recording may take."""

    def __init__(self, wished: bool, sharing: int = 1) -> None:
        """``wished``: this many steps are wanted, however long they take.

        ``sharing``: processes that record on this machine at once.
        """
        self._wished = wished
        self._begin = time.monotonic()
        self._at_begin = _resident_bytes()
        free = _free_bytes()
        self.bytes = (
            MAX_GROWTH_BYTES
            if free is None
            else min(MAX_GROWTH_BYTES, free * SHARE_OF_FREE / sharing)
        )
        self._next_look = 0

    def reached(self, profiling: bool) -> str | None:
        """Why the pass has to end with the present step, None if it need not.

        What the process takes while no profiler runs is the target's own affair.
        """
        if profiling and self._growth() > self.bytes / 2:
            return "it would have taken too much memory"
        if not self._wished and time.monotonic() - self._begin > MAX_PASS_S:
            return f"it took longer than {MAX_PASS_S:g} s"
        return None

    def overdrawn(self) -> bool:
        """Whether it must end now, in the middle of a step. Cheap: looks 20 times a second."""
        now = time.monotonic_ns()
        if now < self._next_look:
            return False
        self._next_look = now + _LOOK_EVERY_NS
        return self._growth() > self.bytes

    def _growth(self) -> int:
        now = _resident_bytes()
        return 0 if now is None or self._at_begin is None else now - self._at_begin


def _resident_bytes() -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return None


def _free_bytes() -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None
