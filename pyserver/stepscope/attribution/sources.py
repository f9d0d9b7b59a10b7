"""The text of source files that have a cost, where they can still be read."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

MAX_BYTES = 4_000_000


def read_sources(files: Iterable[str]) -> dict[str, str]:
    """File -> text. Left out: what is gone, too large, or no regular file.

    The names may come from a recording that somebody else made, so none is opened before it is
    known to be a file: a device or a pipe would never end.
    """
    found = {}
    for file in sorted(files):
        try:
            path = Path(file)
            if not path.is_absolute():
                continue  # a recorded path of another machine, not one of the current folder
            state = path.stat()
            if stat.S_ISREG(state.st_mode) and state.st_size <= MAX_BYTES:
                found[file] = path.read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):  # a name with a zero byte is a ValueError
            continue
    return found
