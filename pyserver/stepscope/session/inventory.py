"""A cheap list of what lies in the person's folders, to see afterwards what became of it."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable

_MAX_FILES = 20_000
_MAX_SECONDS = 0.3
# Made by tools that run on their own, or so large that nothing else would be looked at.
_SKIPPED = frozenset({
    "__pycache__", ".git", ".hg", ".svn", ".venv", "venv", "node_modules", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".idea", ".vscode", "site-packages",
})  # fmt: skip

Inventory = dict[str, tuple[int, int, int]]
"""Path -> (size, time of the last change in ns, number of the file)."""


def take_inventory(folders: Iterable[str]) -> Inventory:
    """Regular files in the folders, the upper ones first, within bounds of number and time."""
    found: Inventory = {}
    deadline = time.monotonic() + _MAX_SECONDS
    waiting = list(folders)
    for folder in waiting:  # grows meanwhile
        if len(found) >= _MAX_FILES or time.monotonic() > deadline:
            break
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED:
                            waiting.append(entry.path)
                    elif (state := _state(entry.path)) is not None:
                        found[entry.path] = state
        except OSError:
            continue  # it may not be read, or has just gone
    return found


def changed_since(before: Inventory) -> list[str]:
    """Files that are gone or not as they were."""
    return [path for path, state in before.items() if _state(path) != state]


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
