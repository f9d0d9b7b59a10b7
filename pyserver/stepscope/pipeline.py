"""One run of a target from request to report."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stepscope.session.model import (
    ENDING,
    CancelToken,
    Failure,
    FailureKind,
    OnFiles,
    OnOutput,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
)
from stepscope.session.run import captured

if TYPE_CHECKING:
    from stepscope.diagnosis.severities import RuleSettings
    from stepscope.report.exports.analysed import Analysed
    from stepscope.report.model import Report


def profile_target(
    request: ProfileRequest,
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    rules: RuleSettings | None = None,
    on_files: OnFiles | None = None,
    on_analysed: Callable[[Analysed], None] | None = None,
) -> Report:
    """Run the target, attribute its step, diagnose it. Blocks; call it off the event loop.

    ``on_output`` gets the target's own output as raw bytes; ``rules`` are what the person set.
    Raises ``session.model.Failure`` when no report could be made. The report is returned while the
    stopped target still winds down in its own time; the interpreter does not exit before its last
    process has. ``on_files`` is told after that, from another thread, what the run did to files.
    ``on_analysed`` is given the report with the events behind it, for exports.
    """
    load_meanwhile("stepscope.analysis")
    with _in_background(captured(request, on_progress, on_output, cancel, on_files)) as capture:
        on_progress(Progress(Phase.ANALYSING))
        from stepscope.analysis import analyse_capture

        analysed = analyse_capture(capture, rules)
    if cancel.cancelled:
        raise Failure(FailureKind.CANCELLED, f"Profiling {request.target.name} was cancelled.")
    if on_analysed is not None:
        on_analysed(analysed)
    return analysed.report


def load_meanwhile(module: str) -> None:
    """Import what is needed after the run while the target starts: that takes longer."""
    threading.Thread(target=importlib.import_module, args=(module,)).start()


@contextlib.contextmanager
def _in_background(
    manager: contextlib.AbstractContextManager[Path],
) -> Iterator[Path]:
    """Enter here; leave in a thread of its own if all went well.

    Leaving waits for the target to end, up to seconds, and the report need not. The thread is no
    daemon, so the interpreter waits for it: no process outlives us.
    """
    value = manager.__enter__()
    try:
        yield value
    except BaseException as error:
        if not manager.__exit__(type(error), error, error.__traceback__):
            raise
    else:
        threading.Thread(target=manager.__exit__, args=(None, None, None), name=ENDING).start()
