"""The most expensive lines of all files in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, Profile
from stepscope.report.display import step_share, summarize_line
from stepscope.report.model import Report
from stepscope.report.source import split_lines
from stepscope.terminal.layout import print_heading
from stepscope.terminal.style import heat

SHOWN = 10
HOST_WIDTH = 110
"""From this width on there is room for the host's time."""

CODE_WIDTH = 140
"""From this width on there is room for the code of each line."""


def print_top_lines(report: Report, console: Console) -> None:
    """Up to ten lines, the most expensive first, then what has no line."""
    profile = report.profile
    costly = [line for line in profile.lines if _has_cost(profile, line)]
    top = sorted(costly, key=lambda line: -_rank(profile, line))[:SHOWN]
    if not top:
        return
    columns = _columns(profile, top, console.width)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="quiet")
    for column in columns:
        if column.folds:
            table.add_column(column.name, overflow="fold", ratio=column.folds)
        else:
            table.add_column(column.name, justify="right", no_wrap=True)
    for line in top:
        table.add_row(*(column.cell(line) for column in columns))
    print_heading(console, "Top lines")
    console.print(table)
    console.print()


def _has_cost(profile: Profile, line: LineCost) -> bool:
    summary = summarize_line(profile, line)
    return summary is not None and bool(summary.share or summary.memory)


def _rank(profile: Profile, line: LineCost) -> float:
    return line.cost_ms if profile.timed else line.live_at_peak_bytes or 0


@dataclass(frozen=True, slots=True)
class _Column:
    """``folds``: its part of the room that the numbers leave; 0 for a number."""

    name: str
    cell: Callable[[LineCost], Text]
    folds: int = 0


def _columns(profile: Profile, top: list[LineCost], width: int) -> list[_Column]:
    """The columns that have something to say and room to say it."""

    def hot(line: LineCost, text: str) -> Text:
        return Text(text, style=heat(step_share(profile, line.cost_ms)))

    timed = [
        _Column("share", lambda line: hot(line, fmt.share(step_share(profile, line.cost_ms)))),
        _Column("time", lambda line: hot(line, fmt.duration(line.cost_ms))),
        _Column("forward", lambda line: _time(line.forward_ms)),
        _Column("backward", lambda line: _time(line.backward_ms)),
    ]
    columns = timed if profile.timed else []
    if profile.timed and width >= HOST_WIDTH:
        columns.append(_Column("host", lambda line: _time(line.host_ms)))
    if any(line.live_at_peak_bytes for line in top):
        columns.append(_Column("at peak", _live))
    if not profile.timed and any(line.allocated_bytes for line in top):
        columns.append(_Column("allocated", _allocated))
    if any(line.regime for line in top):
        columns.append(_Column("bound by", lambda line: Text(line.regime or "")))
    columns.append(_Column("line", _place, folds=2))
    if width >= CODE_WIDTH:
        columns.append(_Column("", lambda line: _code(profile, line), folds=3))
    return columns


def _time(ms: float) -> Text:
    """Blank where nothing ran: a zero would look like something very fast."""
    return Text(fmt.duration(ms) if ms > 0 else "")


def _live(line: LineCost) -> Text:
    live = line.live_at_peak_bytes
    return Text(fmt.size(live) if live else "", style="memory")


def _allocated(line: LineCost) -> Text:
    return Text(fmt.size(line.allocated_bytes) if line.allocated_bytes else "", style="memory")


def _place(line: LineCost) -> Text:
    return Text.assemble(f"{Path(line.file).name}:{line.line}", (f" {line.function}", "quiet"))


def _code(profile: Profile, line: LineCost) -> Text:
    lines = split_lines(profile.sources.get(line.file, ""))
    return Text(lines[line.line - 1].strip() if line.line <= len(lines) else "", style="quiet")
