"""Long work that can be given up in the middle, without threads that are killed."""

from __future__ import annotations

from collections.abc import Callable

Pause = Callable[[], None]
"""Called now and then by long work, at points where it can end; what it raises passes through."""


def never() -> None:
    """For work that nobody gives up."""
