"""The text of source files that have a cost, where they can still be read."""

from __future__ import annotations

from collections.abc import Iterable

from stepscope.timeline.recorded_places import read_source


def read_sources(files: Iterable[str]) -> dict[str, str]:
    """File -> text. Left out: what is gone, too large, or no regular file."""
    texts = ((file, read_source(file)) for file in sorted(files))
    return {file: text for file, text in texts if text is not None}
