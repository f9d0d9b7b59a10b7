"""``stepscope run``: profile a script and print its report."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING

from stepscope.session.model import (
    EXIT_STATUS,
    CancelToken,
    Failure,
    FailureKind,
    ProfileRequest,
)
from stepscope.terminal.exports import Exports, check_exports
from stepscope.terminal.files import FilesReport
from stepscope.terminal.output import deliver, say
from stepscope.terminal.progress import Silence, StatusLine

if TYPE_CHECKING:
    from stepscope.report.exports.analysed import Analysed


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line asked for."""

    request: ProfileRequest
    exports: Exports = field(default_factory=Exports)
    quiet: bool = False
    remove_new_files: bool = False
    rules: tuple[tuple[str, str], ...] = ()  # (rule, level), the later wins


def run_command(options: RunOptions) -> int:
    """Profile, print, and return the exit status of the contract."""
    status: StatusLine | Silence = (
        Silence() if options.quiet else StatusLine(sys.stderr.buffer, terminal=sys.stderr.isatty())
    )
    files = FilesReport(options.request.target.name, remove=options.remove_new_files)
    try:
        check_exports(options.exports)
        analysed = _profile(options, status, files)
        status.close()
        deliver(analysed, options.exports)
        _say_files(options, files)
    except Failure as failure:
        status.close()
        if files.known:
            _say_files(options, files)
        if isinstance(status, Silence) and failure.kind is FailureKind.TARGET_FAILED:
            sys.stderr.buffer.write(status.kept)
        say(str(failure))
        return EXIT_STATUS[failure.kind]
    except KeyboardInterrupt:
        status.close()
        return EXIT_STATUS[FailureKind.CANCELLED]
    except BrokenPipeError:
        # The reader (head, a pager) has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _say_files(options: RunOptions, files: FilesReport) -> None:
    for sentence in files.sentences():
        if not options.quiet or sentence in files.faults:
            say(sentence)


def _profile(options: RunOptions, status: StatusLine | Silence, files: FilesReport) -> Analysed:
    from stepscope.diagnosis.severities import rule_settings
    from stepscope.pipeline import profile_target

    cancel = CancelToken()
    kept: list[Analysed] = []
    with _cancelled_by_signals(cancel):
        report = profile_target(
            options.request,
            status.progress,
            status.output,
            cancel,
            rules=rule_settings(options.rules),
            on_files=files.hear,
            on_analysed=kept.append if options.exports.needs_events else None,
        )
    # Not before: it takes its time to load, which it does while the target starts.
    from stepscope.report.exports.analysed import Analysed

    return kept[0] if kept else Analysed(report, None)


@contextmanager
def _cancelled_by_signals(cancel: CancelToken) -> Iterator[None]:
    """The first interrupt ends the run in order, the second ends this process at once."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cancel.cancel()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
