"""Python's garbage collector in the clean pass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Garbage:
    """``per_step_ms`` is the mean over the pass; ``longest_ms`` one collection.

    ``full`` is how often all objects were looked through, ``steps`` of how many steps.
    """

    per_step_ms: float
    longest_ms: float
    collections: int
    full: int
    full_ms: float
    steps: int
