"""What slows the step down: each finding with its evidence and its fix as a diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from stepscope import format as fmt
from stepscope.attribution.model import Profile
from stepscope.fixes.edits import apply_edits
from stepscope.fixes.model import Fix
from stepscope.report.evidence import describe_evidence, describe_gain
from stepscope.report.model import Hint, Report
from stepscope.report.source import split_lines
from stepscope.terminal.layout import print_heading, print_indented
from stepscope.terminal.style import SEVERITY_GLYPHS

INDENT = 2


def print_hints(report: Report, console: Console) -> None:
    """Every hint, most important first."""
    hints = report.hints
    if not hints:
        return
    print_heading(console, fmt.plural(len(hints), "hint"))
    for hint in hints:
        _print_hint(report.profile, hint, console)


def _print_hint(profile: Profile, hint: Hint, console: Console) -> None:
    finding = hint.finding
    style = finding.severity.value
    console.print(
        Text.assemble(
            (f"{SEVERITY_GLYPHS[finding.severity]} {finding.rule}", style),
            (f"  {Path(finding.file).name}:{finding.line}", "quiet"),
        )
    )
    body = [Text(finding.message)]
    evidence = describe_evidence(finding)
    if evidence:
        measured = " · ".join(f"{name} {value}" for name, value in evidence)
        body.append(Text(measured, style="quiet"))
    gain = describe_gain(finding, profile)
    if gain:
        body.append(Text(gain))
    if hint.fix is not None:
        body.append(Text.assemble(("Fix: ", "title"), hint.fix.title))
        body.extend(_diff(profile, hint.fix))
    for text in body:
        print_indented(console, text, INDENT)
    console.print()


def _diff(profile: Profile, fix: Fix) -> Iterator[Text]:
    """The lines that the fix changes, as a diff without its headers."""
    for path in dict.fromkeys(edit.file for edit in fix.edits):
        source = profile.sources.get(path)
        if source is None:
            continue
        edited = apply_edits(source, [edit for edit in fix.edits if edit.file == path])
        changes = difflib.unified_diff(split_lines(source), split_lines(edited), n=0, lineterm="")
        for line in changes:
            if line.startswith(("---", "+++", "@@")):
                continue
            style = "added" if line.startswith("+") else "removed"
            yield Text(f"{line[0]} {line[1:].expandtabs(4)}", style=style)
