"""``stepscope open``: the report of a recording that somebody else made."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from stepscope.session.model import EXIT_STATUS, Failure
from stepscope.terminal.exports import Exports, check_exports
from stepscope.terminal.output import deliver, say


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """What the command line asked for.

    ``sources`` are rules (recorded path, local path); ``roots`` the folders to look for sources in.
    """

    paths: tuple[Path, ...]
    exports: Exports
    sources: tuple[tuple[str, str], ...] = ()
    roots: tuple[Path, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()


def open_command(options: OpenOptions) -> int:
    """Read, print, and return the exit status of the contract."""
    from stepscope.diagnosis.severities import rule_settings
    from stepscope.opening import open_recordings
    from stepscope.timeline.recorded import PathMap

    try:
        check_exports(options.exports)
        paths = PathMap(options.sources, options.roots)
        deliver(
            open_recordings(options.paths, paths, rule_settings(options.rules)), options.exports
        )
    except Failure as failure:
        say(str(failure))
        return EXIT_STATUS[failure.kind]
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
