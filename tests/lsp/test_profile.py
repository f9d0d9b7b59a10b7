"""``stepscope.profile``: what it runs, what it says meanwhile, what comes out."""

from __future__ import annotations

import sys
from functools import partial

import jsonschema
import pytest
from lsprotocol import types

from stepscope.report.schema import load_schema
from stepscope.session.model import Phase
from tests.lsp.conftest import Session, StartSession, capabilities, soon, until

pytestmark = pytest.mark.lsp


async def test_a_profile_brings_hints_diagnostics_and_the_report(session: Session) -> None:
    document = session.write()
    document.open()
    session.script(findings=["loss.item()"])
    assert await document.profile() == {"ok": True, "step_ms": 30.0}

    assert await document.hints() == {
        7: "41 % · 12.3 ms · ↑ 96 MB",
        8: "13 % · 4.00 ms · ↑ 96 MB",
        14: "7 % · 2.00 ms · ↑ 96 MB",
    }
    (diagnostic,) = session.diagnostics(document)
    assert diagnostic.code == "sync-in-step"
    await until(lambda: session.reports, "the report arrives")
    (sent,) = session.reports
    assert sent["uri"] == document.uri
    jsonschema.validate(sent["report"], load_schema())
    assert sorted(session.refreshed) == ["code lenses", "inlay hints"]


async def test_the_request_is_made_of_options_and_parameters(start_session: StartSession) -> None:
    session = await start_session(
        {
            "args": ["--from", "options"],
            "steps": 4,
            "warmup": 2,
            "timeout": 60,
            "askAfter": 20,
            "stepTimeout": 30,
            "grace": 2,
            "cpu": True,
            "env": {"A": "1"},
            "processesPerNode": 3,
        }
    )
    document = session.write("a 深い model.py")
    await document.profile(steps=7)
    assert session.request() == {
        "target": str(document.path),
        "args": ["--from", "options"],
        "python": sys.executable,
        "cwd": str(session.folder),
        "steps": 7,
        "warmup": 2,
        "loop": None,
        "symbol": None,
        "model_inputs": [],
        "timeout_s": 60.0,
        "workspace": [str(session.folder)],
        "cpu": True,
        "guard": True,
        "processes": 3,
        "env": {"A": "1"},
        "limits": [20.0, 30.0, 2.0],
    }
    session.script()
    await document.profile(args=[])
    assert session.request()["args"] == []
    assert session.request()["steps"] == 4


async def test_the_interpreter_and_folder_of_the_options_are_used(
    start_session: StartSession,
) -> None:
    session = await start_session({"interpreter": ["/opt/env/bin/python"], "cwd": "/data"})
    await session.write().profile()
    assert session.request()["python"] == "/opt/env/bin/python"
    assert session.request()["cwd"] == "/data"


async def test_a_command_of_several_words_means_the_servers_own_interpreter(
    start_session: StartSession,
) -> None:
    session = await start_session({"interpreter": ["conda", "run", "python"]})
    await session.write().profile()
    assert session.request()["python"] == sys.executable
    assert session.messages() == []
    logged = [entry.message for entry in session.client.log_messages]
    assert logged == [f"conda run python is no single program; {sys.executable} runs the target."]


async def test_progress_names_each_phase(session: Session) -> None:
    session.script(hold=[phase.value for phase in Phase])
    run = session.write().start_profile()
    for phase, message in [
        (Phase.STARTING, "starting"),
        (Phase.WARMING_UP, "warming up"),
        (Phase.MEASURING, "measuring · step 3 of 10"),
        (Phase.CAPTURING, "capturing"),
        (Phase.ANALYSING, "analysing"),
    ]:
        await session.reached(phase)
        await until(partial(_progress_says, session, message), f"progress says {message!r}")
        session.let_pass(phase)
    assert (await soon(run))["ok"]
    await until(
        lambda: isinstance(session.progress()[-1], types.WorkDoneProgressEnd), "progress ends"
    )
    begin = session.progress()[0]
    assert begin.title == "Profiling train.py"
    assert begin.cancellable


async def test_a_client_without_progress_can_profile(start_session: StartSession) -> None:
    session = await start_session(client_capabilities=capabilities(progress=False))
    assert (await session.write().profile())["ok"]
    assert session.progress() == []


async def test_a_second_run_is_refused_and_the_first_goes_on(session: Session) -> None:
    session.script(hold=["measuring"])
    first = session.write().start_profile()
    await session.reached(Phase.MEASURING)
    answer = await session.write("other.py").profile()
    assert not answer["ok"]
    assert answer["message"].startswith("train.py is being profiled already")
    assert session.messages() == [answer["message"]]
    session.let_pass(Phase.MEASURING)
    assert (await soon(first))["ok"]


async def test_another_run_may_follow(session: Session) -> None:
    document = session.write()
    await document.profile()
    session.script(costs={"self.a(x)": 6.0})
    await document.profile()
    assert await document.hints() == {7: "20 % · 6.00 ms · ↑ 96 MB"}


async def test_a_failure_is_shown_and_marked_on_its_line(session: Session) -> None:
    document = session.write()
    document.open()
    message = "train.py raised ValueError: no."
    session.script(
        failure={
            "kind": "target-failed",
            "message": message,
            "file": str(document.path),
            "line": 13,
        }
    )
    assert await document.profile() == {"ok": False, "message": message}
    assert session.messages() == [message]
    (mark,) = session.diagnostics(document)
    assert (mark.severity, mark.message) == (types.DiagnosticSeverity.Error, message)
    assert mark.range == types.Range(types.Position(12, 8), types.Position(12, 28))
    # The next run takes the mark away before it knows its own end.
    session.script(hold=["starting"])
    run = document.start_profile()
    await session.reached(Phase.STARTING)
    await until(lambda: session.diagnostics(document) == [], "the mark is gone")
    session.let_pass(Phase.STARTING)
    await soon(run)


async def test_a_bug_of_ours_is_called_that_and_the_server_lives(session: Session) -> None:
    document = session.write()
    session.script(bug="boom")
    answer = await document.profile()
    assert "Stepscope itself failed (RuntimeError)" in answer["message"]
    session.script()
    assert (await document.profile())["ok"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "takes one object"),
        ([{}], "needs the uri"),
        ([{"uri": "untitled:Untitled-1"}], "Save the file first"),
        ([{"uri": "file:///x.py", "args": "a b"}], "args must be a list of strings"),
        ([{"uri": "file:///x.py", "steps": 0}], "steps must be a whole number from 1"),
        ([{"uri": "file:///x.py", "processes": 0}], "processes must be a whole number from 1"),
        ([{"uri": "file:///x.py", "processes": True}], "processes must be a whole number from 1"),
    ],
)
async def test_bad_parameters_are_refused_in_words(
    session: Session, arguments: list[object], words: str
) -> None:
    answer = await session.command("stepscope.profile", *arguments)
    assert not answer["ok"]
    assert words in answer["message"]


async def test_the_targets_output_is_logged_up_to_a_bound(session: Session) -> None:
    session.script(output=["first\nsec", "ond \xff\n", "x" * 200_000, "\nthe last line\n"])
    await session.write().profile()
    await until(lambda: len(session.client.log_messages) >= 4, "the output is logged")
    logged = [entry.message for entry in session.client.log_messages]
    assert logged[:2] == ["first", "second \ufffd"]
    assert logged[-2] == "(about 115 KiB of the output are not shown)"
    assert logged[-1] == "the last line"
    assert sum(map(len, logged)) < 70_000


def _progress_says(session: Session, message: str) -> bool:
    return message in [getattr(shown, "message", None) for shown in session.progress()]
