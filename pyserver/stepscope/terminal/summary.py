"""What was run, and what a reader must know about how it was measured."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from stepscope import format as fmt
from stepscope.attribution.model import Profile
from stepscope.operator_names import describe_operator
from stepscope.report import display
from stepscope.report.model import Report
from stepscope.terminal.source_view import shorten_path

UNATTRIBUTED_NAMES = 6


def print_header(report: Report, console: Console) -> None:
    """The step in one line, the run in another."""
    profile = report.profile
    run = profile.run
    console.print(_title(profile))
    facts = [
        shorten_path(run.target),
        *([run.model] if run.model else []),
        *([run.process] if run.process != "main" else []),
        run.device,
        *([f"torch {run.torch}"] if run.torch is not None else []),
        *([f"Python {_version(run.python)}"] if run.python is not None else []),
    ]
    if profile.memory is not None and profile.timed:
        facts.append(f"peak {fmt.size(profile.memory.peak_bytes)}")
    console.print(Text(" · ".join(facts), style="quiet"))
    for sentence in display.describe_assumed(profile):
        console.print(Text(sentence, style="warning"))
    console.print()


def _title(profile: Profile) -> Text:
    step, memory = profile.step_ms, profile.memory
    if profile.timed:
        return Text.assemble(
            (f"{fmt.duration(step.median)} per step", "title"),
            (f"  {fmt.duration(step.p10)} to {fmt.duration(step.p90)} (p10 to p90)", "quiet"),
        )
    peak = "Memory" if memory is None else f"Peak {fmt.size(memory.peak_bytes)}"
    return Text.assemble((peak, "title"), ("  time was not measured", "quiet"))


def _version(python: str) -> str:
    """The version alone where the interpreter's path stands before it."""
    found = re.search(r"\(([\d.]+\w*)\)$", python)
    return found[1] if found else python


def print_unattributed(report: Report, console: Console) -> None:
    """Time without a line: shown with the names it goes by, never spread over the lines."""
    profile = report.profile
    rest = profile.unattributed
    share = display.step_share(profile, rest.cost_ms)
    if not profile.timed or (rest.cost_ms <= 0 and rest.work_ms <= 0):
        return
    text = Text.assemble(
        ("Without a line: ", "title"), f"{fmt.duration(rest.cost_ms)} ({fmt.share(share)})"
    )
    costliest = sorted(rest.ops, key=lambda op: -op.work_ms)
    names = list(dict.fromkeys(describe_operator(op.name) for op in costliest))
    if names:
        shown = ", ".join(names[:UNATTRIBUTED_NAMES])
        more = len(names) - UNATTRIBUTED_NAMES
        text.append(f"  {shown}" + (f" and {more} more" if more > 0 else ""), "quiet")
    console.print(text)
    console.print()


def print_notes(report: Report, console: Console) -> None:
    """How it was measured, then every note of the run."""
    profile = report.profile
    for sentence in (
        display.describe_steps(profile),
        *display.describe_recomputed(profile),
        *display.describe_overlap(profile),
        display.describe_tax(profile),
        display.describe_device(profile),
        display.describe_peak(profile),
    ):
        if sentence:
            console.print(Text(sentence, style="quiet"))
    for note in profile.notes:
        console.print(Text.assemble(("Note: ", "warning"), note))
