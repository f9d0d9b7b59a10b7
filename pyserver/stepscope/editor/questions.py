"""Questions to the person at the client: what to do after a failure, whether to wait on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stepscope import format as fmt
from stepscope.session.model import CancelToken, Stillness

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer

logger = logging.getLogger("stepscope")

KEEP_WAITING = "Keep waiting"
STOP = "Stop"

ENTER_ARGUMENTS = "stepscope/enterArguments"
"""``{uri, args}`` -> the arguments that the person entered, or null. Sent to a client that says
``experimental.stepscope.enterArguments``."""

_tasks: set[asyncio.Task[None]] = set()


def in_background(work: Coroutine[Any, Any, None]) -> None:
    """Run ``work`` on the loop: an answer to a person's click may be long in coming."""
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def ask(
    server: StepscopeServer, kind: types.MessageType, message: str, titles: list[str]
) -> str | None:
    """The title of the button that was pressed; None: none, or the client has no buttons."""
    actions = [types.MessageActionItem(title) for title in titles]
    try:
        answer = await server.window_show_message_request_async(
            types.ShowMessageRequestParams(type=kind, message=message, actions=actions)
        )
    except Exception as error:
        logger.info("the client cannot ask (%s); it is told instead", error)
        server.show(message, kind)
        return None
    return None if answer is None else answer.title


async def ask_to_wait(
    server: StepscopeServer, name: str, still: Stillness, cancel: CancelToken
) -> None:
    """Ask about a target that has made no step for a while: wait on without a limit, or stop."""
    message = f"{name}: {fmt.stillness(still)}."
    answer = await ask(server, types.MessageType.Warning, message, [KEEP_WAITING, STOP])
    if answer == KEEP_WAITING:
        cancel.wait_on()
    elif answer == STOP:
        cancel.cancel()


def can_enter_arguments(server: StepscopeServer) -> bool:
    """Whether the client has a field for arguments."""
    return server.client_supports("enterArguments")


async def enter_arguments(
    server: StepscopeServer, uri: str, args: tuple[str, ...]
) -> tuple[str, ...] | None:
    """What the person entered; None: they would rather not."""
    answer = await server.protocol.send_request_async(
        ENTER_ARGUMENTS, {"uri": uri, "args": list(args)}
    )
    if answer is None:
        return None
    return tuple(str(word) for word in answer)
