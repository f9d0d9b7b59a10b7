"""The target's standard output behaves as it would at a terminal, though it is a pipe."""

from __future__ import annotations

import contextlib
import io
import sys


def write_lines_at_once() -> None:
    """Pass each line on when it is written, as at a terminal.

    Else the last lines of a target that crashes or is ended are lost, and those are the ones that
    say why.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(ValueError, OSError):
            sys.stdout.reconfigure(line_buffering=True)
