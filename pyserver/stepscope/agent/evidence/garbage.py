"""When Python's garbage collector ran in the clean pass, and for how long."""

from __future__ import annotations

import gc
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder

_MOST = 20_000
_found: deque[tuple[int, int, int]] = deque(maxlen=_MOST)


def install(agent: Agent, torch: Any) -> None:
    """Python itself tells of each collection: two calls, half a microsecond each."""
    begun = threading.local()

    def heard(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            begun.time = time.time_ns()
        elif getattr(begun, "time", 0):
            _found.append((begun.time, time.time_ns(), info["generation"]))

    gc.callbacks.append(heard)


def collect(agent: Agent, recorder: Recorder) -> list[list[int]] | None:
    """[begin, end, generation] of each collection in the clean pass; None without such a pass."""
    clean = next((window for window in recorder.windows if window.kind == "clean"), None)
    if clean is None:
        return None
    begin, end = clean.ticks[0], clean.ticks[-1]
    return [list(each) for each in list(_found) if begin <= each[0] < end]
