"""The pages in ``docs``, which Problems and hovers lead to."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import stepscope


@lru_cache(maxsize=128)
def page(name: str) -> str | None:
    """The URI of the page ``name`` in ``docs``; None if it is not there.

    Next to ``pyserver`` in a clone, next to ``dist`` (two levels above us) in the extension.
    """
    package = Path(stepscope.__file__).resolve().parent
    for folder in (package, *package.parents[:3]):
        found = folder / "docs" / name
        if found.is_file():
            return found.as_uri()
    return None
