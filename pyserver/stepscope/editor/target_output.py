"""Where the target's output goes: a place of its own where the client has one, else its log.

A client with a place says ``experimental.stepscope.output`` in its capabilities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from stepscope.editor import protocol
from stepscope.editor.output import TargetOutput
from stepscope.editor.questions import ask

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer

SHOW = "Show output"
"""The button of a message about a target that failed."""


def begin_output(server: StepscopeServer, uri: str) -> TargetOutput:
    """The output of one run of the file ``uri``, which begins now."""
    if not server.client_supports("output"):
        return TargetOutput(server.log)
    _send(server, uri, "", begins=True)
    return TargetOutput(lambda text: _send(server, uri, text))


async def ask_with_output(
    server: StepscopeServer, uri: str, message: str, titles: list[str]
) -> str | None:
    """Show a failure with buttons, one of which opens the output.

    Returns the title of another one that was pressed.
    """
    pressed = await ask(server, types.MessageType.Error, message, [*titles, SHOW])
    if pressed != SHOW:
        return pressed
    server.protocol.notify(protocol.SHOW_OUTPUT_NOTIFICATION, {"uri": uri})
    return None


def _send(server: StepscopeServer, uri: str, text: str, begins: bool = False) -> None:
    message = {"uri": uri, "text": text, "begins": begins}
    server.protocol.notify(protocol.OUTPUT_NOTIFICATION, message)
