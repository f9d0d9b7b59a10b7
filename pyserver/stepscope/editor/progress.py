"""The progress of long work in the client: a bar that the server starts, with a cancel."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer

logger = logging.getLogger("stepscope")

LEAST_INTERVAL_S = 0.1
"""Between two reports of one stage: steps of a small model take less than a millisecond."""


class ProgressView:
    """Opens in its own time, since the work must not wait for the client to draw."""

    def __init__(self, server: StepscopeServer, title: str, message: str) -> None:
        """``message`` is what the bar says at first."""
        self._server = server
        self._title = title
        self.token = f"stepscope-{uuid.uuid4()}"
        self._task: asyncio.Task[None] | None = None
        self._open = False
        self._closed = False
        self._message = message
        self._stage: object = None
        self._sent_stage: object = None
        self._sent_at = 0.0

    def open(self) -> None:
        """Ask the client for a progress bar, if it has any."""
        window = self._server.client_capabilities.window
        if window and window.work_done_progress:
            self._task = asyncio.ensure_future(self._create())

    def show(self, message: str, stage: object) -> None:
        """The newest state. Every stage is shown, news of the same only at a bearable rate."""
        self._message, self._stage = message, stage
        if not self._open:
            return
        now = time.monotonic()
        if stage == self._sent_stage and now - self._sent_at < LEAST_INTERVAL_S:
            return
        self._sent_stage, self._sent_at = stage, now
        self._server.work_done_progress.report(
            self.token, types.WorkDoneProgressReport(message=message, cancellable=True)
        )

    def close(self) -> None:
        """Take the bar away. One that the client has not made yet will never begin."""
        self._closed = True
        if self._open:
            self._open = False
            self._server.work_done_progress.end(self.token, types.WorkDoneProgressEnd())

    async def _create(self) -> None:
        try:
            await self._server.work_done_progress.create_async(self.token)
        except Exception as error:
            logger.warning("the client refused a progress bar: %s", error)
            return
        if self._closed:
            return
        self._server.work_done_progress.begin(
            self.token,
            types.WorkDoneProgressBegin(title=self._title, message=self._message, cancellable=True),
        )
        self._sent_stage, self._sent_at = self._stage, time.monotonic()
        self._open = True
