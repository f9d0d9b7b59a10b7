"""What every command that makes a report prints."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stepscope.terminal.exports import Exports, write_exports

if TYPE_CHECKING:
    from stepscope.report.exports.analysed import Analysed


def deliver(analysed: Analysed, exports: Exports) -> None:
    """Write what was asked for, and print the report where standard output is free."""
    if write_exports(exports, analysed):
        return
    from stepscope.terminal.render import make_console, render_report

    if hasattr(sys.stdout, "reconfigure"):
        # A terminal without these characters shows "?" for them; it does not end the program.
        sys.stdout.reconfigure(errors="replace")
    render_report(analysed.report, make_console(sys.stdout))
    sys.stdout.flush()


def say(message: str) -> None:
    """One sentence of ours on standard error."""
    sys.stderr.write(f"stepscope: {message}\n")
    sys.stderr.flush()
