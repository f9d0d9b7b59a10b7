"""The end of a session: no run may outlive the editor."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from stepscope.editor.language_server import StepscopeServer


def register(server: StepscopeServer) -> None:
    """Stop the run when the client shuts the server down."""
    server.add_feature(types.SHUTDOWN, _shutdown)


async def _shutdown(server: StepscopeServer, _: None) -> None:
    await asyncio.to_thread(server.runs.stop_and_wait)
