"""Cancel, in each phase and in every way a client can ask for it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from stepscope.session.model import Phase
from tests.lsp.conftest import PATIENCE_S, Document, Session, soon, until

pytestmark = pytest.mark.lsp


async def _in_phase(session: Session, phase: Phase) -> tuple[Document, asyncio.Task[Any]]:
    session.script(hold=[phase.value])
    document = session.write()
    run = document.start_profile()
    await session.reached(phase)
    return document, run


@pytest.mark.parametrize("phase", Phase)
async def test_the_button_of_the_progress_cancels(session: Session, phase: Phase) -> None:
    _, run = await _in_phase(session, phase)
    await until(session.progress, "progress is shown")
    (token,) = session.client.progress_reports
    session.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    assert await soon(run) == {"ok": False, "message": "Cancelled."}
    assert await session.ended() == "cancelled"
    await until(
        lambda: isinstance(session.progress()[-1], types.WorkDoneProgressEnd), "progress ends"
    )


@pytest.mark.parametrize("phase", Phase)
async def test_the_command_cancels(session: Session, phase: Phase) -> None:
    _, run = await _in_phase(session, phase)
    assert await session.command("stepscope.cancel") is True
    assert await soon(run) == {"ok": False, "message": "Cancelled."}
    assert await session.ended() == "cancelled"


async def test_a_cancelled_request_cancels_its_run(session: Session) -> None:
    document = session.write()
    session.script(hold=["measuring"])
    client = session.client
    params = types.ExecuteCommandParams("stepscope.profile", [{"uri": document.uri}])
    answer = asyncio.ensure_future(
        client.protocol.send_request_async(
            types.WORKSPACE_EXECUTE_COMMAND, params, msg_id="the-run"
        )
    )
    await session.reached(Phase.MEASURING)
    client.cancel_request(types.CancelParams(id="another"))
    client.cancel_request(types.CancelParams(id="the-run"))
    with pytest.raises(JsonRpcException, match="cancel"):
        await soon(answer)
    assert await session.ended() == "cancelled"
    # The server takes the next run as soon as this one has wound down.
    session.script()
    await until_accepted(document)


async def until_accepted(document: Document) -> None:
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while not (await document.profile())["ok"]:
        assert asyncio.get_running_loop().time() < deadline


async def test_a_cancel_is_no_error_to_shout_about(session: Session) -> None:
    document, run = await _in_phase(session, Phase.MEASURING)
    await session.command("stepscope.cancel")
    await soon(run)
    assert session.messages() == []
    assert session.diagnostics(document) == []


async def test_cancel_keeps_the_earlier_report(session: Session) -> None:
    document = session.write()
    await document.profile()
    before = await document.hints()
    session.script(hold=["capturing"])
    run = document.start_profile()
    await session.reached(Phase.CAPTURING)
    await session.command("stepscope.cancel")
    await soon(run)
    assert before
    assert await document.hints() == before


async def test_cancel_without_a_run_does_nothing(session: Session) -> None:
    assert await session.command("stepscope.cancel") is False
