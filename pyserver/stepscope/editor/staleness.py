"""Where measured lines are in a text that has been edited since.

A report belongs to the text that ran. Lines that are still the same move with the text; lines of
a statement that was edited are known to be *changed*: what was measured there no longer describes
them; lines that are gone have no place. Nothing is ever shown on a line that merely happens to
have the old number.
"""

from __future__ import annotations

import bisect
import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stepscope.diagnosis.ignoring import COMMENT
from stepscope.editor.text import statement_spans
from stepscope.report.source import split_lines

_LIKE = 0.6
"""Two lines this similar are the same line before and after an edit."""

_IGNORE = re.compile(COMMENT.pattern + r"\s*$")

_PAIRED_BLOCK = 64
"""Edited blocks longer than this are not searched for similar lines: the answer must be quick."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the current text (1-based) and whether its statement was edited."""

    line: int
    changed: bool


class LineMap:
    """Measured lines to current lines and back. Built once per state of a text."""

    def __init__(
        self, measured: str, current: str, spans: Mapping[int, tuple[int, int]] | None = None
    ) -> None:
        """``spans``: the ``statement_spans`` of ``measured``, if they are at hand."""
        self.lines: Sequence[str] = split_lines(current)
        self._current: dict[int, Place] = {}
        self._measured: dict[int, int] = {}
        before, after = _comparable(split_lines(measured)), _comparable(self.lines)
        self._identical = before == after
        if self._identical:
            return
        places = _pair_lines(before, after)
        spans = statement_spans(measured) if spans is None else spans
        for line, place in places.items():
            changed = place.changed or _was_edited(spans.get(line), places)
            self._current[line] = Place(place.line, changed)
            self._measured[place.line] = line

    @property
    def is_identical(self) -> bool:
        """Whether nothing was edited but what changes nothing."""
        return self._identical

    def current(self, measured_line: int) -> Place | None:
        """Where a measured line is now; None if it is gone."""
        if self._identical:
            return Place(measured_line, changed=False)
        return self._current.get(measured_line)

    def measured(self, current_line: int) -> int | None:
        """Which measured line a current line was; None if it is new."""
        if self._identical:
            return current_line
        return self._measured.get(current_line)

    def unchanged(self, first: int, last: int) -> Place | None:
        """Where the measured lines ``first`` to ``last`` are, if nothing in them was edited."""
        places = [self.current(line) for line in range(first, last + 1)]
        start = places[0]
        for offset, place in enumerate(places):
            if start is None or place is None or place.changed or place.line != start.line + offset:
                return None
        return start


def _comparable(lines: Sequence[str]) -> list[str]:
    """Lines without what changes nothing.

    Byte order marks and trailing space, which editors and formatters remove, and comments to us.
    """
    return [_IGNORE.sub("", line).rstrip().removeprefix("\ufeff") for line in lines]


def _pair_lines(before: list[str], after: list[str]) -> dict[int, Place]:
    """1-based measured line to its place, for every line that has one."""
    places: dict[int, Place] = {}
    head = _common(before, after)
    limit = min(len(before), len(after)) - head
    tail = min(limit, _common(before[::-1], after[::-1]))
    for index in range(head):
        places[index + 1] = Place(index + 1, changed=False)
    for back in range(1, tail + 1):
        places[len(before) - back + 1] = Place(len(after) - back + 1, changed=False)

    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    i = j = 0
    # The end counts as an anchor, so that what follows the last one is paired too.
    for anchor_i, anchor_j in (*_anchors(old, new), (len(old), len(new))):
        for a, b, changed in _pair_block(old[i:anchor_i], new[j:anchor_j]):
            places[head + i + a + 1] = Place(head + j + b + 1, changed)
        if anchor_i < len(old):
            places[head + anchor_i + 1] = Place(head + anchor_j + 1, changed=False)
        i, j = anchor_i + 1, anchor_j + 1
    return places


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines that occur once on each side, as many as keep their order.

    They cut a long text into short blocks: a full diff of every keystroke would be too slow.
    """
    once_old, once_new = _places_of_unique(old), _places_of_unique(new)
    pairs = [(i, once_new[line]) for line, i in once_old.items() if line in once_new]
    # Longest increasing subsequence of the second elements (patience sorting).
    smallest_end: list[int] = []
    end_at: list[int] = []
    previous: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect.bisect_left(smallest_end, j)
        previous.append(end_at[length - 1] if length else -1)
        if length == len(smallest_end):
            smallest_end.append(j)
            end_at.append(index)
        else:
            smallest_end[length], end_at[length] = j, index
    chain: list[tuple[int, int]] = []
    index = end_at[-1] if end_at else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _places_of_unique(lines: list[str]) -> dict[str, int]:
    counts = Counter(lines)
    return {line: index for index, line in enumerate(lines) if counts[line] == 1}


def _pair_block(old: list[str], new: list[str]) -> Iterator[tuple[int, int, bool]]:
    """(old, new, changed) for the lines of two short blocks."""
    if not old or not new:
        return
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            for offset in range(i2 - i1):
                yield i1 + offset, j1 + offset, False
        elif tag == "replace":
            for i, j in _pair_edited(old[i1:i2], new[j1:j2]):
                yield i1 + i, j1 + j, True


def _common(one: list[str], other: list[str]) -> int:
    """Length of the common beginning."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _pair_edited(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Which line of a replaced block became which; in order, each at most once."""
    if len(old) == len(new):
        return [(index, index) for index in range(len(old))]
    if max(len(old), len(new)) > _PAIRED_BLOCK:
        return []
    pairs: list[tuple[int, int]] = []
    start = 0
    for i, line in enumerate(old):
        best, best_ratio = None, _LIKE
        for j in range(start, len(new)):
            ratio = difflib.SequenceMatcher(None, line.strip(), new[j].strip()).ratio()
            if ratio > best_ratio:
                best, best_ratio = j, ratio
        if best is not None:
            pairs.append((i, best))
            start = best + 1
    return pairs


def _was_edited(span: tuple[int, int] | None, places: dict[int, Place]) -> bool:
    """Whether any line of a statement was changed, removed, or another put between them."""
    if span is None:
        return False
    first, last = span
    start = places.get(first)
    for line in range(first, last + 1):
        place = places.get(line)
        if start is None or place is None or place.changed:
            return True
        if place.line - start.line != line - first:
            return True
    return False
