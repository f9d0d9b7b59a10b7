"""What the benchmark prints: one row per number, its target beside it."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

_CLOSE = 1.1
"""A target below this ratio is told apart from what misses it only by a third digit."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number. ``value`` None: not measured, and ``note`` says why.

    ``limit`` is the target, a number not above which is a pass; None where there is none.
    """

    what: str
    value: float | None
    unit: str
    limit: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """How it stands to its target; nothing where there is no target."""
        if self.value is None:
            return "not measured"
        if self.limit is None:
            return ""
        return "pass" if self.value <= self.limit else "short"


def skipped(what: str, reason: str, limit: float | None = None, unit: str = "x") -> Row:
    """A row for what could not be measured."""
    return Row(what, None, unit, limit, reason)


def show(sections: dict[str, list[Row]]) -> None:
    """Print all rows as one table."""
    table = Table(title="Stepscope benchmark", title_justify="left", header_style="bold")
    table.add_column("what", overflow="fold")
    for name in ("measured", "target", "verdict"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    for section, rows in sections.items():
        table.add_section()
        table.add_row(f"[bold]{section}[/bold]")
        for row in rows:
            table.add_row(f"  {row.what}", _amount(row), _target(row), row.verdict, row.note)
    Console(width=140).print(table)


def _amount(row: Row) -> str:
    if row.value is None:
        return "-"
    digits = 1 if row.unit in ("ms", "points", "%") else 2
    if row.unit == "x" and row.limit is not None and row.limit < _CLOSE:
        digits = 3  # 1.02 must not stand for 1.024
    return f"{row.value:.{digits}f} {row.unit}"


def _target(row: Row) -> str:
    return "" if row.limit is None else f"<= {row.limit:g} {row.unit}"
