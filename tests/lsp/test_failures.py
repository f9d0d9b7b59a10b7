"""What is offered after a failure, and while a target makes no step."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.conftest import Document, Session, StartSession, capabilities, soon, until

pytestmark = pytest.mark.lsp

MESSAGE = "train.py asks for CUDA at train.py:13."


def failure(document: Document, *action: str) -> dict[str, Any]:
    return {
        "kind": "target-failed",
        "message": MESSAGE,
        "file": str(document.path),
        "line": 13,
        "action": list(action),
    }


async def test_the_button_of_a_failure_runs_it_in_another_way(session: Session) -> None:
    document = session.write()
    session.script(failure=failure(document, "run-on-cpu"))
    session.press = "Run on CPU anyway"
    assert await document.profile(steps=7) == {"ok": False, "message": MESSAGE}
    await until(lambda: session.asked, "the failure is shown with a button")
    ((message, titles),) = session.asked[:1]
    assert (message, titles) == (MESSAGE, ["Run on CPU anyway"])
    await until(lambda: session.request()["cpu"], "it is run on the CPU")
    assert session.request()["steps"] == 7
    assert session.messages() == []


@pytest.mark.parametrize(
    ("action", "title", "given", "key", "expected"),
    [
        (["run-on-cpu"], "Run on CPU anyway", {}, "cpu", True),
        (["set-cwd", "/data"], "Run in folder /data", {"cwd": "/other"}, "cwd", "/data"),
        (
            ["set-env", "PYTHONPATH=/src:/old"],
            "Run with modules of /src",
            {"env": {"A": "1"}},
            "env",
            {"A": "1", "PYTHONPATH": "/src:/old"},
        ),
        (["set-processes", "2"], "Run 2 processes with torchrun", {}, "processes", 2),
    ],
)  # fmt: skip
async def test_the_mark_on_the_line_has_the_same_as_a_code_action(
    session: Session,
    action: list[str],
    title: str,
    given: dict[str, Any],
    key: str,
    expected: object,
) -> None:
    document = session.write()
    document.open()
    session.script(failure=failure(document, *action))
    await document.profile(**given)
    (mark,) = session.diagnostics(document)
    (found,) = await document.actions(13, ["quickfix"])
    assert (found.title, found.kind) == (title, types.CodeActionKind.QuickFix)
    assert list(found.diagnostics or ()) == [mark]
    assert found.command is not None
    assert found.command.command == "stepscope.profile"
    assert await document.actions(2) == []
    session.script()
    assert found.command.arguments is not None
    (argument,) = found.command.arguments
    assert (await session.command(found.command.command, argument))["ok"]
    assert session.request()[key] == expected
    assert await document.actions(13, ["quickfix"]) == []


async def test_without_an_action_a_failure_has_no_button(session: Session) -> None:
    document = session.write()
    for action in (["install", "pillow"], ["choose-interpreter"], ["set-cwd"], ["set-args"]):
        session.script(failure=failure(document, *action))
        await document.profile()
    assert session.messages() == [MESSAGE] * 4
    assert session.asked == []


async def test_a_client_that_cannot_ask_is_told(session: Session) -> None:
    session.press = RuntimeError("no buttons here")
    document = session.write()
    session.script(failure=failure(document, "run-on-cpu"))
    await document.profile()
    await until(lambda: session.messages() == [MESSAGE], "the failure is shown")


async def test_arguments_are_entered_where_the_client_has_a_field(
    start_session: StartSession,
) -> None:
    able = capabilities()
    able.experimental = {"stepscope": {"enterArguments": True}}
    session: Session = await start_session({"args": ["--old"]}, able)
    session.press, session.enter = "Enter arguments", ["--data", "a b"]
    document = session.write()
    session.script(failure=failure(document, "set-args"))
    await document.profile()
    await until(lambda: session.entering, "arguments are asked for")
    assert session.entering[0] == {"uri": document.uri, "args": ["--old"]}
    await until(lambda: session.request()["args"] == ["--data", "a b"], "it is run with them")


async def test_nothing_runs_when_no_arguments_are_entered(start_session: StartSession) -> None:
    able = capabilities()
    able.experimental = {"stepscope": {"enterArguments": True}}
    session: Session = await start_session({}, able)
    session.enter = None
    answer = await session.write().profile(enterArguments=True)
    assert answer == {"ok": False, "message": "No arguments were entered."}


QUESTION = "train.py: no step after 60 s; it is at train.py:3."


async def test_a_person_may_keep_waiting(session: Session) -> None:
    session.script(still=["starting"], hold=["starting"])
    session.press = "Keep waiting"
    run = session.write().start_profile()
    assert (await soon(run))["ok"]
    assert session.asked == [(QUESTION, ["Keep waiting", "Stop"])]
    assert (session.control / "patient").exists()


async def test_a_person_may_stop_instead(session: Session) -> None:
    session.script(still=["starting"], hold=["starting"])
    session.press = "Stop"
    answer = await soon(session.write().start_profile())
    assert not answer["ok"]
    assert await session.ended() == "cancelled"


async def test_the_progress_says_where_it_waits(session: Session) -> None:
    session.script(still=["warming up"], hold=["warming up"])
    run = session.write().start_profile()
    shown = "warming up · no step after 60 s; it is at train.py:3"
    await until(
        lambda: shown in [getattr(value, "message", None) for value in session.progress()],
        "the progress says it",
    )
    session.press = None
    await session.command("stepscope.cancel")
    await soon(run)
