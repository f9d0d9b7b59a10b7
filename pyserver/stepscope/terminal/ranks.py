"""The ranks of a run side by side."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from stepscope import format as fmt
from stepscope.attribution.model import Collective, Ranks
from stepscope.report.model import Report
from stepscope.terminal.layout import print_heading
from stepscope.terminal.source_view import shorten_path

_MOST = 16


def print_ranks(report: Report, console: Console) -> None:
    """One row per rank, the collectives that were waited for, and lines that differ."""
    ranks = report.profile.ranks
    if ranks is None:
        return
    size = "" if ranks.world_size is None else f" of {ranks.world_size}"
    print_heading(console, f"{fmt.plural(len(ranks.ranks), 'rank')}{size}")
    console.print(_table(ranks))
    for collective in ranks.collectives[:_MOST]:
        if collective.wait_ms > 0:
            console.print(Text(_describe(collective)))
    for skew in ranks.lines[:_MOST]:
        console.print(
            Text(
                f"{shorten_path(skew.file)}:{skew.line} {skew.function} takes "
                f"{fmt.duration(skew.low_ms)} to {fmt.duration(skew.high_ms)}, most on rank "
                f"{skew.slowest_rank}."
            )
        )
    for note in ranks.notes:
        console.print(Text(note, style="warning"))
    console.print()


def _table(ranks: Ranks) -> Table:
    table = Table(box=None, pad_edge=False, header_style="quiet")
    for title in ("rank", "step", "computes", "communicates", "host", "waits", "waited for"):
        table.add_column(title, justify="right")
    for rank in ranks.ranks[:_MOST]:
        shares = rank.breakdown
        table.add_row(
            str(rank.rank),
            fmt.duration(rank.step_ms),
            fmt.share(shares.compute + shares.memory),
            fmt.share(shares.communication),
            fmt.share(shares.overhead + shares.other + shares.idle),
            "" if rank.waited_ms is None else fmt.duration(rank.waited_ms),
            "" if rank.late_ms is None else fmt.duration(rank.late_ms),
        )
    return table


def _describe(each: Collective) -> str:
    text = (
        f"{each.name}: {fmt.count(each.calls)} per step, {fmt.duration(each.transfer_ms)} of "
        f"transfer, {fmt.duration(each.wait_ms)} of waiting; rank {each.late_rank} came last in "
        f"{fmt.share(each.late_share)} of the calls"
    )
    if each.late_line is not None:
        file, line = each.late_line
        text += f", longer than the others in {each.doing} ({shorten_path(file)}:{line})"
    elif each.doing:
        text += f", longer than the others in {each.doing}"
    return text + "."
