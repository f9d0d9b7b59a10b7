"""The text of each line that is told of, and no other: for a page with no editor beside it."""

from __future__ import annotations

from collections.abc import Mapping

from stepscope.report.charts.model import Json, Names
from stepscope.report.source import split_lines

LONGEST = 300
"""Characters of one line; the rest of it is left out."""


def source_lines(names: Names, sources: Mapping[str, str]) -> list[Json]:
    """``{place, text}`` of each place whose source was measured; indentation left out."""
    lines = {file: split_lines(text) for file, text in sources.items()}
    found = []
    for number, place in enumerate(names.place_rows()):
        of_file = lines.get(place["file"], [])
        if 1 <= place["line"] <= len(of_file):
            found.append({"place": number, "text": of_file[place["line"] - 1].strip()[:LONGEST]})
    return found
