"""The report on a terminal. A new section is one function and one entry here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from rich.console import Console

from stepscope.report.model import Report
from stepscope.terminal.breakdown import print_breakdown
from stepscope.terminal.hints import print_hints
from stepscope.terminal.ranks import print_ranks
from stepscope.terminal.source_view import print_sources
from stepscope.terminal.style import THEME
from stepscope.terminal.summary import print_header, print_notes, print_unattributed
from stepscope.terminal.top_lines import print_top_lines

SECTIONS: tuple[Callable[[Report, Console], None], ...] = (
    print_header,
    print_sources,
    print_breakdown,
    print_top_lines,
    print_ranks,
    print_hints,
    print_unattributed,
    print_notes,
)


def render_report(report: Report, console: Console) -> None:
    """Print every section."""
    for section in SECTIONS:
        section(report, console)


def make_console(stream: TextIO, width: int | None = None) -> Console:
    """A console on ``stream``: coloured on a terminal only, as wide as it is or 80 columns."""
    return Console(
        file=stream, width=width, theme=THEME, highlight=False, emoji=False, markup=False
    )
