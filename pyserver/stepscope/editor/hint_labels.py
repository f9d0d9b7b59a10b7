"""The texts at the ends of lines, and how their figures come to stand under one another.

An editor draws a hint right behind the code. So that figures of neighbouring lines can be compared
at a glance, shares and times are padded to one width within a block of lines, and lines that end
near one another get spaces in front: the code itself never moves.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stepscope.attribution.model import LineCost, Profile
from stepscope.editor.staleness import Place
from stepscope.report import display

LONGEST = 43
"""Characters after which VS Code cuts a hint."""

FUNCTION = "function: "
"""Before what stands on the line of a ``def`` and is not its own, but the whole function's."""

_NEAR = 2
"""Lines this far apart are still one block: a statement may take two lines."""


@dataclass(frozen=True, slots=True)
class Label:
    """A hint before it is aligned.

    ``end`` is the column at which the line's code ends, in cells of a monospaced font; None where
    it depends on the width of tabs. ``share`` and ``cost`` are ``""`` where there are none.
    """

    line: int
    end: int | None
    share: str
    cost: str
    rest: tuple[str, ...] = ()


def label_of(profile: Profile, cost: LineCost, place: Place, code: str, precision: str) -> Label:
    """What to say of a line whose current text is ``code``.

    Nothing (no part has a text) where it costs too little for ``precision``.
    """
    summary = display.summarize_line(profile, cost)
    if summary is None or precision == "off":
        return Label(place.line, None, "", "")
    end = cells(code) if "\t" not in code else None
    prefix = FUNCTION if display.is_whole_function(profile, cost) else ""
    stale = (_before_edit(profile),) if place.changed else ()
    if precision == "share":
        share = summary.share or ("" if profile.timed else display.share_of_peak(profile, cost))
        return Label(place.line, end, prefix + share if share else "", "", stale if share else ())
    # What no longer describes the line says so first; the memory is in the hover.
    rest = stale or tuple(part for part in (summary.memory, summary.worker) if part)
    if summary.share:
        return Label(place.line, end, prefix + summary.share, summary.cost, rest)
    if place.changed:
        rest = (*(part for part in (summary.memory or summary.worker,) if part), *stale)
    return Label(place.line, end, "", "", (prefix + rest[0], *rest[1:]))


def aligned(labels: Iterable[Label]) -> dict[int, str]:
    """The text of each label by its line, padded within blocks of neighbouring lines."""
    found: dict[int, str] = {}
    said = [label for label in labels if label.share or label.rest]
    for block in _blocks(sorted(said, key=lambda label: label.line)):
        shares = max(len(label.share) for label in block)
        costs = max(len(label.cost) for label in block)
        texts = [_text(label, shares, costs) for label in block]
        for run in _runs(block, texts):
            column = max(block[index].end or 0 for index in run)
            for index in run:
                pad = column - (block[index].end or 0) if len(run) > 1 else 0
                found[block[index].line] = " " * pad + texts[index]
    return found


def cells(text: str) -> int:
    """Columns that ``text`` takes in a monospaced font: two for wide characters."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _before_edit(profile: Profile) -> str:
    at = display.measured_at(profile)
    return f"{at}, before edit" if at else "before edit"


def _blocks(labels: Sequence[Label]) -> Iterator[list[Label]]:
    block: list[Label] = []
    for label in labels:
        if block and label.line - block[-1].line > _NEAR:
            yield block
            block = []
        block.append(label)
    if block:
        yield block


def _text(label: Label, shares: int, costs: int) -> str:
    if not label.share:
        return " · ".join(label.rest)
    parts = [label.share.rjust(shares)]
    if label.cost:
        parts.append(label.cost.rjust(costs))
    return " · ".join([*parts, *label.rest])


def _runs(block: Sequence[Label], texts: Sequence[str]) -> Iterator[list[int]]:
    """Neighbours that can begin in one column without a text becoming longer than ``LONGEST``."""
    run: list[int] = []
    for index in range(len(block)):
        longer = [*run, index]
        if run and not _fits(block, texts, longer):
            yield run
            longer = [index]
        run = longer
    if run:
        yield run


def _fits(block: Sequence[Label], texts: Sequence[str], run: Sequence[int]) -> bool:
    ends = [block[index].end for index in run]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return False
    return all(
        max(known) - end + len(texts[i]) <= LONGEST for end, i in zip(known, run, strict=True)
    )
