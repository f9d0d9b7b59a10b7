"""Long work in progress: at most one, in a thread of its own, cancellable from everywhere."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stepscope import format as fmt
from stepscope.editor import new_files
from stepscope.editor.progress import ProgressView
from stepscope.editor.questions import ask_to_wait, in_background
from stepscope.editor.target_output import begin_output
from stepscope.report.model import Report
from stepscope.session.model import (
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

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer
    from stepscope.opening import OnFile
    from stepscope.report.exports.analysed import Analysed
    from stepscope.timeline.pausing import Pause

logger = logging.getLogger("stepscope")


class ProfileTarget(Protocol):
    """``pipeline.profile_target``, or what stands in for it."""

    def __call__(
        self,
        request: ProfileRequest,
        on_progress: OnProgress,
        on_output: OnOutput,
        cancel: CancelToken,
        *,
        on_files: OnFiles,
        on_analysed: Callable[[Analysed], None],
    ) -> Report:
        """See there."""
        ...


OpenFiles = Callable[[Sequence[Path], "OnFile", "Pause"], Report]
"""``opening.open_recordings`` with what the options say."""

Post = Callable[[Callable[[], None]], None]
Work = Callable[[Post], Report]

STOP_TIMEOUT_S = 10.0
"""How long an ending server waits for the agent to go."""


@dataclass(slots=True)
class Run:
    """Long work: on which file, who asked for it, how to stop it, its thread."""

    file: Path
    doing: str  # "profiled", in a sentence for a person
    request_id: int | str | None
    has_processes: bool  # which must have ended before the server does
    cancel: CancelToken = field(default_factory=CancelToken)
    thread: threading.Thread | None = None


class Runs:
    """Owns the work in progress. All methods are for the event loop unless they say otherwise."""

    def __init__(self, server: StepscopeServer, profile_target: ProfileTarget) -> None:
        self._server = server
        self._profile_target = profile_target
        self.current: Run | None = None
        self.printed = False  # whether the last target had an output
        self._progress: ProgressView | None = None

    @property
    def busy(self) -> str | None:
        """Why nothing else can be begun, one sentence; None: it can.

        Reading a recording keeps a core busy, so whatever runs beside it would be measured wrongly.
        """
        if self.current is None:
            return None
        name, doing = self.current.file.name, self.current.doing
        return f"{name} is being {doing} already; wait for it or cancel it first."

    async def profile(self, request: ProfileRequest, launch: str | None = None) -> Report:
        """Run ``request`` to its end. Raises Failure; the caller has checked ``busy``.

        ``launch`` is what the person calls the settings of this run.
        """
        run = Run(request.target, "profiled", self._server.protocol.msg_id, has_processes=True)
        self._server.new_files.begin()
        name = request.target.name
        title = f"Profiling {name}" if launch is None else f"Profiling {name} ({launch})"
        progress = ProgressView(self._server, title, fmt.progress(Progress(Phase.STARTING)))
        output = begin_output(self._server, self._server.uri_of(str(request.target)))
        self.printed = False

        def finish() -> None:
            output.finish()
            self.printed = not output.empty

        def hear(state: Progress) -> None:
            progress.show(fmt.progress(state), state.phase)
            if state.still is not None:
                in_background(ask_to_wait(self._server, name, state.still, run.cancel))

        def work(post: Post) -> Report:
            return self._profile_target(
                request,
                lambda state: post(lambda: hear(state)),
                lambda chunk: output.feed(chunk, post),
                run.cancel,
                on_files=lambda files: post(lambda: new_files.hear(self._server, name, files)),
                on_analysed=self._server.kept_reports.hear,
            )

        return await self._outcome(run, progress, work, finish)

    async def open(self, paths: Sequence[Path], open_files: OpenFiles) -> Report:
        """Read recordings to their report. Raises Failure; the caller has checked ``busy``."""
        run = Run(paths[0], "opened", self._server.protocol.msg_id, has_processes=False)
        progress = ProgressView(self._server, f"Opening {paths[0].name}", "reading")

        def work(post: Post) -> Report:
            def hear(number: int, total: int, path: Path) -> None:
                message = "reading" if total == 1 else f"reading {path.name}, {number} of {total}"
                post(lambda: progress.show(message, number))

            report = open_files(paths, hear, lambda: _stop_if(run.cancel))
            _stop_if(run.cancel)
            return report

        return await self._outcome(run, progress, work, lambda: None)

    async def _outcome(
        self, run: Run, progress: ProgressView, work: Work, finish: Callable[[], None]
    ) -> Report:
        assert self.current is None, "one run at a time"
        self.current, self._progress = run, progress
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Report] = loop.create_future()

        def post(action: Callable[[], None]) -> None:
            """From the run's thread to the loop; a loop that has ended needs no news."""
            try:
                loop.call_soon_threadsafe(action)
            except RuntimeError:
                logger.debug("the event loop has ended before the run")

        def settle(report: Report | None, error: Exception | None) -> None:
            # Here and not where the outcome is awaited: the request may be dropped long before
            # the run has wound down, and until then it is the run in progress.
            self.current = self._progress = None
            finish()
            progress.close()
            if error is not None:
                outcome.set_exception(error)
            elif report is not None:
                outcome.set_result(report)

        def thread() -> None:
            try:
                report = work(post)
            except Exception as error:
                failed = error
                post(lambda: settle(None, failed))
            else:
                post(lambda: settle(report, None))

        run.thread = threading.Thread(target=thread, name="stepscope-run", daemon=True)
        run.thread.start()
        progress.open()
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            run.cancel.cancel()
            raise

    def cancel(self) -> bool:
        """Ask the run in progress to stop; False where there is none."""
        if self.current is None:
            return False
        self.current.cancel.cancel()
        return True

    def cancel_request(self, request_id: int | str) -> None:
        """``$/cancelRequest``: stop the run that ``request_id`` asked for."""
        if self.current is not None and self.current.request_id == request_id:
            self.cancel()

    def cancel_progress(self, token: int | str) -> None:
        """The client's cancel button."""
        if self._progress is not None and self._progress.token == token:
            self.cancel()

    def stop_and_wait(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """Stop the run and wait for its end, which leaves no process behind. Any thread.

        False if it is still there after ``timeout_s``.
        """
        run = self.current
        if run is None or run.thread is None:
            return True
        run.cancel.cancel()
        if not run.has_processes:
            return True
        run.thread.join(timeout_s)
        return not run.thread.is_alive()


def _stop_if(cancel: CancelToken) -> None:
    if cancel.cancelled:
        raise Failure(FailureKind.CANCELLED, "Cancelled.")


def cancelled(error: Failure) -> bool:
    """Whether a run ended because somebody asked for it."""
    return error.kind is FailureKind.CANCELLED
