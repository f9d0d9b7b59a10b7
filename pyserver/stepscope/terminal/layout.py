"""Headings and folding that every section shares. Nothing is ever cut: text folds."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text


def print_heading(console: Console, title: str, aside: str = "") -> None:
    """``── Title · aside ─────`` over the whole width."""
    heading = Text.assemble(("── ", "rule"), (title, "title"))
    if aside:
        heading.append(f" · {aside}", "quiet")
    heading.append(" ")
    rest = console.width - heading.cell_len
    if rest > 0:
        heading.append("─" * rest, "rule")
    console.print(heading)


def print_indented(console: Console, text: Text, indent: int) -> None:
    """``text`` folded between words, every row of it indented."""
    for row in text.wrap(console, max(20, console.width - indent), overflow="fold"):
        row.rstrip()
        console.print(Text(" " * indent) + row, soft_wrap=True)


def print_flow(console: Console, entries: Iterable[Text], gap: str = "   ") -> None:
    """Entries side by side, as many to a row as fit; an entry is never split."""
    row = Text()
    for entry in entries:
        if row and row.cell_len + len(gap) + entry.cell_len > console.width:
            console.print(row, soft_wrap=True)
            row = Text()
        row = Text.assemble(row, gap, entry) if row else entry
    if row:
        console.print(row, soft_wrap=True)
