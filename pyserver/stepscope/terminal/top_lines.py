"""The most expensive lines of all files in one table."""

from __future__ import annotations

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
ROOMY_WIDTH = 140
"""From this width on there is room for the code of each line."""


def print_top_lines(report: Report, console: Console) -> None:
    """Up to ten lines, the most expensive first, then what has no line."""
    profile = report.profile
    costly = [line for line in profile.lines if summarize_line(profile, line) is not None]
    top = sorted(costly, key=lambda line: -line.cost_ms)[:SHOWN]
    if not top:
        return
    roomy = console.width >= ROOMY_WIDTH
    memory = any(line.live_at_peak_bytes for line in top)
    bound = any(line.regime for line in top)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="quiet")
    for name in ("share", "time", "forward", "backward", "host"):
        table.add_column(name, justify="right", no_wrap=True)
    if memory:
        table.add_column("at peak", justify="right", no_wrap=True)
    if bound:
        table.add_column("bound by", no_wrap=True)
    table.add_column("line", overflow="fold", ratio=2)
    if roomy:
        table.add_column("", overflow="fold", ratio=3)
    for line in top:
        table.add_row(*_cells(profile, line, memory=memory, bound=bound, roomy=roomy))
    print_heading(console, "Top lines")
    console.print(table)
    console.print()


def _cells(
    profile: Profile, line: LineCost, *, memory: bool, bound: bool, roomy: bool
) -> list[Text]:
    share = step_share(profile, line.cost_ms)
    cells = [
        Text(fmt.share(share), style=heat(share)),
        Text(fmt.duration(line.cost_ms), style=heat(share)),
        _work(line, line.forward_ms),
        _work(line, line.backward_ms),
        Text(fmt.duration(line.host_ms)),
    ]
    if memory:
        live = line.live_at_peak_bytes
        cells.append(Text(fmt.size(live) if live else "", style="memory"))
    if bound:
        cells.append(Text(line.regime or ""))
    place = f"{Path(line.file).name}:{line.line}"
    cells.append(Text.assemble(place, (f" {line.function}", "quiet")))
    if roomy:
        cells.append(Text(_code(profile, line), style="quiet"))
    return cells


def _work(line: LineCost, ms: float) -> Text:
    """Blank where the line computes nothing: a zero would look like a measurement of speed."""
    return Text(fmt.duration(ms)) if line.work_ms > 0 else Text("")


def _code(profile: Profile, line: LineCost) -> str:
    lines = split_lines(profile.sources.get(line.file, ""))
    return lines[line.line - 1].strip() if line.line <= len(lines) else ""
