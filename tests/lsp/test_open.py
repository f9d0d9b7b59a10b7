"""``stepscope.open``: a recorded trace on the lines of the files that are here."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lsprotocol import types

from stepscope.report.schema import load_schema
from stepscope.session.model import Phase
from tests import traces
from tests.lsp.conftest import Document, Session, StartSession, capabilities, soon, until

pytestmark = pytest.mark.lsp

LINES = [traces.FORWARD_LINE, traces.MAIN_LINE]


def write_sources(session: Session) -> tuple[Document, Document]:
    return session.write("train.py", traces.TRAIN), session.write("helper.py", traces.HELPER)


def write_trace(session: Session, name: str = "run 深い.json.gz", **how: Any) -> Path:
    return traces.write(session.folder.parent / name, traces.events(**how))


async def open_(session: Session, *paths: Path | str) -> Any:
    return await session.command("stepscope.open", {"paths": [str(path) for path in paths]})


async def test_a_trace_is_shown_in_every_file_that_it_is_about(session: Session) -> None:
    train, helper = write_sources(session)
    train.open()
    trace = write_trace(session)
    answer = await open_(session, trace)

    assert answer["ok"] is True
    assert answer["step_ms"] == pytest.approx(10.0)
    hints = await train.hints()
    assert list(hints) == LINES
    assert all(hint.startswith("function: ") for hint in hints.values())
    assert list(await helper.hints()) == [traces.SCALE_LINE]
    hover = await helper.hover(traces.SCALE_LINE) or ""
    assert "**10 % of the step** (1.00 ms of 10.0 ms) in `scale`" in hover
    assert "*Whole function, recorded" in hover
    (finding,) = session.diagnostics(train)
    assert finding.code == "slow-input"
    assert finding.range.start.line + 1 == traces.MAIN_LINE
    assert finding.range.end.line + 1 == traces.MAIN_LINE

    await until(lambda: session.reports, "the report arrives")
    (sent,) = session.reports
    assert sent["uri"] == trace.as_uri()
    jsonschema.validate(sent["report"], load_schema())
    assert not any(line["exact"] for line in sent["report"]["lines"])
    assert sorted(session.refreshed) == ["code lenses", "inlay hints"]
    (message,) = session.messages()
    assert message == answer["message"]
    verdict = sent["report"]["verdict"]["sentence"]
    assert message.startswith(f"{trace.name}: {verdict} In train.py, helper.py: whole functions")
    assert "Input-bound" in verdict
    # `gone` is in train.py no more.
    assert message.endswith("Left out, since the file has changed since the recording: gone.")
    logged = [entry.message for entry in session.client.log_messages]
    assert len([text for text in logged if "gone is not where the recording says" in text]) == 1


async def test_hints_of_a_recording_move_and_are_marked_and_cleared(session: Session) -> None:
    train, helper = write_sources(session)
    train.open()
    trace = write_trace(session)
    await open_(session, trace.as_uri())
    train.change("# one\n" + traces.TRAIN.replace("def forward(self, x)", "def forward(self, y)"))
    hints = await train.hints()
    assert list(hints) == [line + 1 for line in LINES]
    assert hints[traces.FORWARD_LINE + 1].endswith(" · before edit")
    await until(
        lambda: (
            [found.range.start.line for found in session.diagnostics(train)] == [traces.MAIN_LINE]
        ),
        "the diagnostic moves",
    )
    await session.command("stepscope.clear", {"uri": trace.as_uri()})
    assert await train.hints() == await helper.hints() == {}
    await until(lambda: session.diagnostics(train) == [], "the diagnostic is gone")


async def test_a_function_that_moved_is_followed_and_another_one_is_not_taken_for_it(
    session: Session,
) -> None:
    train, helper = write_sources(session)
    await open_(session, write_trace(session, moved=3))
    assert list(await train.hints()) == LINES
    train.path.write_text(
        "\n\n" + traces.TRAIN + "\n\nclass Other:\n    def forward(self):\n        pass\n",
        encoding="utf-8",
    )
    await open_(session, write_trace(session))
    assert list(await train.hints()) == [traces.MAIN_LINE + 2]
    assert session.messages()[-1].endswith("recording: forward, gone.")
    assert list(await helper.hints()) == [traces.SCALE_LINE]


async def test_the_source_map_says_where_recorded_files_are(start_session: StartSession) -> None:
    session: Session = await start_session({"trace": {"sourceMap": {"/job/src": "nowhere"}}})
    outside = session.folder.parent / "checkout"
    outside.mkdir()
    for name, text in (("train.py", traces.TRAIN), ("helper.py", traces.HELPER)):
        (outside / name).write_text(text, encoding="utf-8")
    train = Document(session, outside / "train.py", (outside / "train.py").as_uri())
    trace = write_trace(session, folder="/job/src/")
    answer = await open_(session, trace)
    assert answer["ok"] is True
    assert "Its source (2 files) was not found here" in answer["message"]
    assert await train.hints() == {}
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams(
            {"stepscope": {"trace": {"sourceMap": {"/job/src": str(outside)}}}}
        )
    )
    await open_(session, trace)
    assert list(await train.hints()) == LINES


async def test_a_folder_of_ranks_is_opened_as_one_run(session: Session) -> None:
    train, _ = write_sources(session)
    ranks = session.folder.parent / "ranks"
    ranks.mkdir()
    for rank in range(2):
        traces.write(ranks / f"rank{rank}.json", traces.events())
    answer = await open_(session, ranks)
    assert answer["ok"] is True
    assert list(await train.hints()) == LINES
    await until(lambda: session.reports, "the report arrives")
    assert len(session.reports[0]["report"]["ranks"]["ranks"]) == 2
    bars = [getattr(value, "message", None) for value in session.progress()]
    assert "reading rank1.json, 2 of 2" in bars


async def test_progress_begins_and_ends(session: Session) -> None:
    write_sources(session)
    await open_(session, write_trace(session))
    await until(lambda: len(session.progress()) > 1, "the progress ends")
    begin, *_, end = session.progress()
    assert begin.title == "Opening run 深い.json.gz"
    assert begin.cancellable
    assert isinstance(end, types.WorkDoneProgressEnd)


NO_RECORDINGS = {
    "empty.json": b"",
    "page.json": b"<html></html>",
    "other.json": b'{"a": 1}',
    "none.json": b'{"traceEvents": []}',
    "code.pickle": pickle.dumps(Path),
}


async def test_what_is_no_recording_is_refused_in_one_sentence(session: Session) -> None:
    for name, content in NO_RECORDINGS.items():
        path = session.folder.parent / name
        path.write_bytes(content)
        answer = await open_(session, path)
        assert answer["ok"] is False
        assert name in answer["message"]
        assert answer["message"].endswith(".")
        assert session.messages()[-1] == answer["message"]
    answer = await open_(session, session.folder / "gone.json")
    assert answer["ok"] is False
    assert "gone.json" in answer["message"]
    for paths in ([], "a", [1], None):
        answer = await session.command("stepscope.open", {"paths": paths})
        assert answer["ok"] is False
    answer = await open_(session, "memfs://a/b.json")
    assert "memfs://a/b.json" in answer["message"]
    assert session.reports == []
    assert len(session.messages()) == len(NO_RECORDINGS) + 6


async def test_nothing_is_opened_beside_a_run(start_session: StartSession) -> None:
    session: Session = await start_session(client_capabilities=capabilities(progress=False))
    train, _ = write_sources(session)
    session.script(hold=[Phase.MEASURING.value], costs={"net(x)": 12.0})
    run = train.start_profile()
    await session.reached(Phase.MEASURING)
    answer = await open_(session, write_trace(session))
    assert answer["message"].startswith("train.py is being profiled already")
    session.let_pass(Phase.MEASURING)
    assert (await soon(run))["ok"] is True
    assert await train.hints() == {11: "40 % · 12.0 ms · ↑ 96 MB"}
    # A recording that knows the same file is newer.
    await open_(session, write_trace(session))
    assert list(await train.hints()) == LINES
