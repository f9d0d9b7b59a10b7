"""``stepscope run``: profile a script and print its report."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from stepscope.report.model import Report
from stepscope.session.model import (
    EXIT_STATUS,
    CancelToken,
    Failure,
    FailureKind,
    ProfileRequest,
)
from stepscope.terminal.files import FilesReport
from stepscope.terminal.progress import Silence, StatusLine

TO_STDOUT = "-"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line asked for. ``json`` is a path, ``-`` or None."""

    request: ProfileRequest
    json: str | None = None
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
        _check_json_path(options.json)
        report = _profile(options, status, files)
        status.close()
        _deliver(report, options.json)
        _say_files(options, files)
    except Failure as failure:
        status.close()
        if files.known:
            _say_files(options, files)
        if isinstance(status, Silence) and failure.kind is FailureKind.TARGET_FAILED:
            sys.stderr.buffer.write(status.kept)
        _say(str(failure))
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
            _say(sentence)


def _profile(options: RunOptions, status: StatusLine | Silence, files: FilesReport) -> Report:
    from stepscope.diagnosis.severities import rule_settings
    from stepscope.pipeline import profile_target

    cancel = CancelToken()
    with _cancelled_by_signals(cancel):
        return profile_target(
            options.request,
            status.progress,
            status.output,
            cancel,
            rules=rule_settings(options.rules),
            on_files=files.hear,
        )


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


def _check_json_path(path: str | None) -> None:
    """Find out before the run, not after it, that there is no such folder."""
    if path is None or path == TO_STDOUT:
        return
    if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
        raise Failure(FailureKind.USAGE, f"--json {path}: no file can be written there.")


def _deliver(report: Report, json_path: str | None) -> None:
    if json_path is not None:
        from stepscope.report.to_json import report_to_text

        text = report_to_text(report)
        if json_path == TO_STDOUT:
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stdout.buffer.flush()
            return
        try:
            Path(json_path).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            message = f"the report could not be written to {json_path}: {error.strerror}."
            raise Failure(FailureKind.USAGE, message) from error
    from stepscope.terminal.render import make_console, render_report

    if hasattr(sys.stdout, "reconfigure"):
        # A terminal without these characters shows "?" for them; it does not end the program.
        sys.stdout.reconfigure(errors="replace")
    render_report(report, make_console(sys.stdout))
    sys.stdout.flush()


def _say(message: str) -> None:
    sys.stderr.write(f"stepscope: {message}\n")
    sys.stderr.flush()
