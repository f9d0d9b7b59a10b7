"""Warnings in the target's output that our own recording causes, not the target."""

from __future__ import annotations

import re

# Both say what the agent reckons with: it looks itself at the memory that was there before, and
# reads only the profiler's own events. Each is written in one piece, with its line end.
_OF_OUR_RECORDING = re.compile(
    rb"^(?:\[rank\d+\]:)?\[W\d+ [\d:.]+ (?:"
    rb"CPUAllocator\.cpp:\d+\] Memory block of unknown size was allocated before the profiling"
    rb"|collection\.cpp:\d+\] Warning: Failed to recover relationship between all profiler"
    rb")[^\n]*\n",
    re.MULTILINE,
)


def without_ours(errors: bytes) -> bytes:
    """A piece of the target's standard error without what only our recording made torch say."""
    return _OF_OUR_RECORDING.sub(b"", errors)
