"""The profilers that a script starts itself: switched off for the run, and said so.

Two profilers cannot record at once: the inner one silently empties the outer one. So the script's
own only marks steps while we are at work, and what it is asked for afterwards is empty.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

NOTE = (
    "The script's own torch.profiler was switched off during this run, since two profilers cannot "
    "record at once; what it would have printed or written is missing."
)
_WITHOUT_RESULT = (
    "stop", "__exit__", "export_chrome_trace", "export_stacks", "export_memory_timeline",
    "add_metadata", "add_metadata_json", "preset_metadata_json", "toggle_collection_dynamic",
)  # fmt: skip
_WITH_EVENTS = ("key_averages", "events")


def replace_profilers(
    torch: Any, tell: Callable[[str, Any], None], note: Callable[[str], None]
) -> None:
    """Silence ``torch.profiler.profile`` and ``torch.autograd.profiler.profile``.

    ``tell`` hears of the first one's ``step()``; ``note`` is told once, when one is entered.
    """
    new, old = (
        getattr(torch, "profiler", None),
        importlib.import_module("torch.autograd.profiler"),
    )
    told = False

    def say() -> None:
        nonlocal told
        if not told:
            told = True
            note(NOTE)

    def step(self: Any) -> None:
        tell("explicit", sys._getframe(1))

    for profiler in filter(None, (new and new.profile, old.profile)):
        _silence(profiler, say)
    if new is not None:
        new.profile.step = step


def _silence(profiler: Any, say: Callable[[], None]) -> None:
    utilities: Any = importlib.import_module("torch.autograd.profiler_util")

    def enter(self: Any) -> Any:
        say()
        return self

    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        say()

    def nothing(self: Any, *args: Any, **kwargs: Any) -> None:
        return None

    def no_events(self: Any, *args: Any, **kwargs: Any) -> Any:
        return utilities.EventList([])

    def no_table(self: Any, *args: Any, **kwargs: Any) -> str:
        return ""

    for name in _WITHOUT_RESULT:
        if hasattr(profiler, name):
            setattr(profiler, name, nothing)
    for name in _WITH_EVENTS:
        if hasattr(profiler, name):
            setattr(profiler, name, no_events)
    if hasattr(profiler, "start"):
        profiler.start = begin
    profiler.__enter__ = enter
    if "table" in profiler.__dict__:
        profiler.table = no_table
