"""The run in progress: at most one, in a thread of its own, cancellable from everywhere."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stepscope.editor import new_files
from stepscope.editor.output import TargetOutput
from stepscope.editor.progress import ProgressView
from stepscope.editor.questions import ask_to_wait, in_background
from stepscope.report.model import Report
from stepscope.session.model import (
    CancelToken,
    Failure,
    FailureKind,
    OnFiles,
    OnOutput,
    OnProgress,
    ProfileRequest,
    Progress,
)

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer

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
    ) -> Report:
        """See there."""
        ...


STOP_TIMEOUT_S = 10.0
"""How long an ending server waits for the agent to go."""


@dataclass(slots=True)
class Run:
    """One run: who asked for it, how to stop it, its thread."""

    target: Path
    request_id: int | str | None
    cancel: CancelToken = field(default_factory=CancelToken)
    thread: threading.Thread | None = None


class Runs:
    """Owns the run in progress. All methods are for the event loop unless they say otherwise."""

    def __init__(self, server: StepscopeServer, profile_target: ProfileTarget) -> None:
        self._server = server
        self._profile_target = profile_target
        self.current: Run | None = None
        self._progress: ProgressView | None = None

    async def profile(self, request: ProfileRequest) -> Report:
        """Run ``request`` to its end. Raises Failure; the caller has checked ``current``."""
        assert self.current is None, "one run at a time"
        run = Run(request.target, self._server.protocol.msg_id)
        self.current = run
        self._server.new_files.begin()
        loop = asyncio.get_running_loop()
        progress = self._progress = ProgressView(self._server, request.target.name)
        output = TargetOutput(self._server.log)
        outcome: asyncio.Future[Report] = loop.create_future()

        def post(action: Callable[[], None]) -> None:
            """From the run's thread to the loop; a loop that has ended needs no news."""
            try:
                loop.call_soon_threadsafe(action)
            except RuntimeError:
                logger.debug("the event loop has ended before the run")

        def hear(state: Progress) -> None:
            progress.show(state)
            if state.still is not None:
                in_background(
                    ask_to_wait(self._server, request.target.name, state.still, run.cancel)
                )

        def settle(report: Report | None, error: Exception | None) -> None:
            # Here and not where the outcome is awaited: the request may be dropped long before
            # the run has wound down, and until then it is the run in progress.
            self.current = self._progress = None
            output.finish()
            progress.close()
            if error is not None:
                outcome.set_exception(error)
            elif report is not None:
                outcome.set_result(report)

        def work() -> None:
            try:
                report = self._profile_target(
                    request,
                    lambda state: post(lambda: hear(state)),
                    lambda chunk: output.feed(chunk, post),
                    run.cancel,
                    on_files=lambda files: post(
                        lambda: new_files.hear(self._server, request.target.name, files)
                    ),
                )
            except Exception as error:
                failed = error
                post(lambda: settle(None, failed))
            else:
                post(lambda: settle(report, None))

        run.thread = threading.Thread(target=work, name="stepscope-run", daemon=True)
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
        run.thread.join(timeout_s)
        return not run.thread.is_alive()


def cancelled(error: Failure) -> bool:
    """Whether a run ended because somebody asked for it."""
    return error.kind is FailureKind.CANCELLED
