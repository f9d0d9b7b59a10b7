"""The user's source with the cost of each line beside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, Profile
from stepscope.report.display import LineSummary, step_share, summarize_line
from stepscope.report.model import Report
from stepscope.terminal.highlight import highlight
from stepscope.terminal.layout import print_heading
from stepscope.terminal.style import heat, heat_glyph

CONTEXT = 2
"""Lines shown around a costly line of a file that is shown in parts."""

SHARE_WIDTH, COST_WIDTH, MEMORY_WIDTH = 5, 8, 9
LEAST_CODE_WIDTH = 20


@dataclass(frozen=True, slots=True)
class _Costly:
    summary: LineSummary
    share: float


def print_sources(report: Report, console: Console) -> None:
    """The target as a whole, then the costly parts of every other file."""
    profile = report.profile
    target = profile.run.target
    for path in _files(profile):
        costly = _costly_lines(profile, path)
        if not costly and (path != target or path not in profile.sources):
            continue
        _print_file(profile, path, costly, console, whole=path == target)


def shorten_path(path: str) -> str:
    """``path`` seen from the current folder, if that is shorter."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return relative if len(relative) < len(path) else path


def _files(profile: Profile) -> list[str]:
    """The target first, then the others by what they cost."""
    cost: dict[str, float] = {profile.run.target: 0.0}
    for line in profile.lines:
        spent = line.cost_ms if profile.timed else line.live_at_peak_bytes or 0
        cost[line.file] = cost.get(line.file, 0.0) + spent
    return sorted(cost, key=lambda path: (path != profile.run.target, -cost[path], path))


def _costly_lines(profile: Profile, path: str) -> dict[int, _Costly]:
    found: dict[int, _Costly] = {}
    for line in profile.lines:
        if line.file == path:
            summary = summarize_line(profile, line)
            if summary is not None:
                found[line.line] = _Costly(summary, step_share(profile, line.cost_ms))
    return found


def _print_file(
    profile: Profile, path: str, costly: dict[int, _Costly], console: Console, *, whole: bool
) -> None:
    _print_title(profile, path, console)
    source = profile.sources.get(path)
    if source is None:
        console.print(Text("its source could not be read", style="quiet"))
        _print_without_source(profile.lines, path, costly, console)
        return
    lines = highlight(source)
    if not lines[-1].plain:
        lines.pop()  # what follows the last line break
    numbers = range(1, len(lines) + 1) if whole else _around(costly, len(lines))
    gutter = _Gutter(costly, len(lines), console.width, timed=profile.timed)
    if costly:
        console.print(gutter.header(), soft_wrap=True)
    previous = 0
    for number in numbers:
        if previous and number != previous + 1:
            console.print(gutter.gap())
        for row in gutter.rows(number, lines[number - 1], console):
            console.print(row, soft_wrap=True)
        previous = number
    console.print()


def _print_title(profile: Profile, path: str, console: Console) -> None:
    print_heading(console, shorten_path(path), _share_of(profile, path))


def _share_of(profile: Profile, path: str) -> str:
    lines = [line for line in profile.lines if line.file == path]
    if profile.timed:
        cost = sum(line.cost_ms for line in lines)
        return f"{fmt.share(step_share(profile, cost))} of the step"
    peak = profile.memory.peak_bytes if profile.memory is not None else 0
    live = sum(line.live_at_peak_bytes or 0 for line in lines)
    return f"{fmt.share(live / peak)} of the peak" if peak else ""


def _print_without_source(
    lines: Iterable[LineCost], path: str, costly: dict[int, _Costly], console: Console
) -> None:
    for line in lines:
        if line.file == path and line.line in costly:
            text = costly[line.line].summary.text
            console.print(Text(f"  line {line.line} in {line.function}: {text}"))
    console.print()


def _around(costly: Iterable[int], last: int) -> list[int]:
    """The costly lines with some lines before and after, in order."""
    near = {
        number
        for line in costly
        for number in range(line - CONTEXT, line + CONTEXT + 1)
        if 1 <= number <= last
    }
    return sorted(near)


class _Gutter:
    """The columns left of the code: time if it was measured, memory if a line has some to show."""

    def __init__(
        self, costly: dict[int, _Costly], last_line: int, width: int, *, timed: bool
    ) -> None:
        self._costly = costly
        self._digits = len(str(last_line))
        self._memory = any(line.summary.memory for line in costly.values())
        self._timed = timed
        self.width = 3 + self._digits + 2
        if timed:
            self.width += SHARE_WIDTH + 1 + COST_WIDTH
        if self._memory:
            self.width += MEMORY_WIDTH + 1
        self._code_width = max(LEAST_CODE_WIDTH, width - self.width)

    def rows(self, number: int, code: Text, console: Console) -> Iterator[Text]:
        """The line as rows of the terminal: the code is folded, never cut."""
        parts = self._fold(code + self._beside(number), console)
        yield self._cells(number) + parts[0]
        for part in parts[1:]:
            yield self._continuation() + part

    def header(self) -> Text:
        """Names of the columns."""
        names = "share".rjust(SHARE_WIDTH) + " " + "time".rjust(COST_WIDTH) if self._timed else ""
        if self._memory:
            names += " " + "at peak".rjust(MEMORY_WIDTH)
        return Text(names, style="quiet")

    def gap(self) -> Text:
        """Between two parts of a file."""
        return Text(" " * (self.width - self._digits - 2) + "⋮", style="quiet")

    def _cells(self, number: int) -> Text:
        line = self._costly.get(number)
        cells = Text()
        if line is None:
            cells.append(" " * (self.width - self._digits - 2))
        else:
            style = heat(line.share)
            if self._timed:
                cells.append(line.summary.share.rjust(SHARE_WIDTH), style)
                cells.append(" " + line.summary.cost.rjust(COST_WIDTH), style)
            if self._memory:
                cells.append(" " + line.summary.memory.rjust(MEMORY_WIDTH), "memory")
            timed = bool(line.summary.share)
            cells.append(f" {heat_glyph(line.share) if timed else ' '} ", style)
        cells.append(f"{number:>{self._digits}}  ", "quiet")
        return cells

    def _beside(self, number: int) -> Text:
        """What the line takes in another process, after its code: no column of the step's."""
        line = self._costly.get(number)
        worker = line.summary.worker if line is not None else ""
        return Text(f"  {worker}" if worker else "", style="quiet")

    def _continuation(self) -> Text:
        return Text(" " * (self.width - 2) + "↳ ", style="quiet")

    def _fold(self, code: Text, console: Console) -> list[Text]:
        if code.cell_len <= self._code_width:
            return [code]
        code.rstrip()
        return list(code.wrap(console, self._code_width, overflow="fold")) or [code]
