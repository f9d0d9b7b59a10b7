"""Where the step goes: one bar over the whole width, and its legend."""

from __future__ import annotations

import dataclasses

from rich.console import Console
from rich.text import Text

from stepscope import format as fmt
from stepscope.report.display import BREAKDOWN_WORDS
from stepscope.report.model import Report
from stepscope.terminal.layout import print_flow, print_heading
from stepscope.terminal.style import BREAKDOWN


def print_breakdown(report: Report, console: Console) -> None:
    """The bar and the legend, largest part first."""
    if not report.profile.timed:
        return
    shares = dataclasses.asdict(report.profile.breakdown)
    parts = sorted(
        ((name, share) for name, share in shares.items() if share > 0), key=lambda part: -part[1]
    )
    if not parts:
        return
    print_heading(console, "Where the step goes")
    bar = Text()
    widths = split_width([share for _, share in parts], console.width)
    for (name, _), width in zip(parts, widths, strict=True):
        glyph, style = BREAKDOWN[name]
        bar.append(glyph * width, style)
    console.print(bar, soft_wrap=True)
    legend = [
        Text.assemble(BREAKDOWN[name], f" {BREAKDOWN_WORDS[name]} {fmt.share(share)}")
        for name, share in parts
    ]
    print_flow(console, legend)
    if report.verdict is not None:
        console.print(Text(report.verdict.sentence))
    console.print()


def split_width(shares: list[float], width: int) -> list[int]:
    """``width`` cells in proportion to ``shares``, to the last cell (largest remainder)."""
    total = sum(shares)
    exact = [share / total * width for share in shares]
    cells = [int(value) for value in exact]
    by_remainder = sorted(range(len(shares)), key=lambda i: cells[i] - exact[i])
    for index in by_remainder[: width - sum(cells)]:
        cells[index] += 1
    return cells
