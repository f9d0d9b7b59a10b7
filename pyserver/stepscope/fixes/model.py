"""An edit of the user's source that acts on a finding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace ``[start, end)`` by ``new_text``.

    Lines are 1-based; columns are 0-based offsets in Unicode code points (what Python's ``str``
    counts; ``ast`` counts UTF-8 bytes, so convert).
    """

    file: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A titled set of edits, or, where ``edits`` is empty, only advice in words (``title``)."""

    title: str
    edits: tuple[TextEdit, ...]
