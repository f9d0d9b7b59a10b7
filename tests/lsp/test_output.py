"""The target's output, in a place of its own where the client has one."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.session.model import Phase
from tests.lsp.conftest import Document, Session, StartSession, capabilities, soon, until

pytestmark = pytest.mark.lsp


async def listening(start_session: StartSession) -> tuple[Session, list[dict[str, Any]]]:
    wanted = capabilities()
    wanted.experimental = {"stepscope": {"output": True}}
    session: Session = await start_session(client_capabilities=wanted)
    return session, session.output


def failing(document: Document, **more: Any) -> dict[str, Any]:
    return {"kind": "target-failed", "message": "train.py raised ValueError: no.", **more}


async def test_the_output_is_sent_and_not_logged(start_session: StartSession) -> None:
    session, output = await listening(start_session)
    document = session.write()
    session.script(output=["first\nsec", "ond \x1b[31mred\x1b[0m\n", "no end"])
    await document.profile()
    await until(lambda: len(output) == 4, "all output is there")
    assert {message["uri"] for message in output} == {document.uri}
    assert [(message["text"], message["begins"]) for message in output] == [
        ("", True),
        ("first", False),
        ("second red", False),
        ("no end", False),
    ]
    assert not [entry for entry in session.client.log_messages if "first" in entry.message]


async def test_a_failure_has_a_button_that_opens_the_output(start_session: StartSession) -> None:
    session, _ = await listening(start_session)
    document = session.write()
    session.script(output=["oh no\n"], failure=failing(document, action=["run-on-cpu"]))
    session.press = "Show output"
    assert not (await document.profile())["ok"]
    await until(lambda: session.shown, "the output is to be shown")
    assert session.shown == [{"uri": document.uri}]
    assert [titles for _, titles in session.asked] == [["Run on CPU anyway", "Show output"]]


async def test_a_failure_without_output_has_no_such_button(start_session: StartSession) -> None:
    session, _ = await listening(start_session)
    document = session.write()
    session.script(failure=failing(document))
    assert not (await document.profile())["ok"]
    assert session.messages() == ["train.py raised ValueError: no."]
    assert session.asked == []


async def test_settings_of_one_run(session: Session) -> None:
    document = session.write()
    session.script(hold=["measuring"])
    run = document.start_profile(python="/other/python", launch="small")
    await session.reached(Phase.MEASURING)
    assert session.request()["python"] == "/other/python"
    await until(session.progress, "progress is shown")
    session.let_pass(Phase.MEASURING)
    await soon(run)
    assert session.progress()[0].title == "Profiling train.py (small)"
    refused = await document.profile(python=3)
    assert refused["message"] == "stepscope.profile: python must be the path of an interpreter."
    refused = await document.profile(launch=["small"])
    assert refused["message"] == "stepscope.profile: launch must be a name."
