"""Fixes from the light bulb: at once, after a look, and with a measurement of what they gain."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.conftest import Document, Session, StartSession, capabilities, until

pytestmark = pytest.mark.lsp

SLOW = """\
import torch

torch.autograd.set_detect_anomaly(True)
for step in range(100):
    loss = net(x)
    loss.backward()
"""
LINE = 3
RULE = "anomaly-mode"
TITLE = "Fix and measure again: Switch anomaly mode off"


class Editor:
    """A client's documents: takes edits, and saves files when it is asked to."""

    def __init__(self, session: Session, document: Document) -> None:
        self.text = document.text
        self.labels: list[str | None] = []
        self.saved: list[list[str]] = []
        self.takes = True

        @session.client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.labels.append(params.label)
            if self.takes:
                (edits,) = (params.edit.changes or {}).values()
                self.text = _edited(self.text, edits)
                document.change(self.text)
            return types.ApplyWorkspaceEditResult(applied=self.takes)

        @session.client.feature("stepscope/saveFiles")
        def save(params: Any) -> bool:
            self.saved.append(list(params.uris))
            document.path.write_text(self.text, encoding="utf-8")
            return True


def _edited(text: str, edits: Any) -> str:
    rows = text.split("\n")
    for edit in sorted(edits, key=lambda edit: -edit.range.start.line):
        start, end = edit.range.start, edit.range.end
        rows[start.line] = rows[start.line][: start.character] + edit.new_text
        tail = text.split("\n")[end.line][end.character :]
        rows[start.line : end.line + 1] = [rows[start.line] + tail]
    return "\n".join(rows)


async def profiled(start_session: StartSession, **abilities: Any) -> tuple[Document, Editor]:
    session: Session = await start_session(client_capabilities=capabilities(stepscope=abilities))
    document = session.write("train.py", SLOW)
    document.open()
    session.script(costs={"net(x)": 12.0}, rules={"set_detect_anomaly": RULE}, step_ms=41.2)
    await document.profile(args=["--width", "8"], steps=7)
    return document, Editor(session, document)


async def measure(document: Document, step_ms: float, **script: Any) -> Any:
    """Choose the action; the next run has steps of ``step_ms``."""
    actions = {action.title: action for action in await document.actions(LINE)}
    command = actions[TITLE].command
    assert command is not None
    document.session.script(**({"costs": {"net(x)": 12.0}, "step_ms": step_ms} | script))
    return await document.session.command(command.command, *(command.arguments or ()))


async def test_a_fix_is_measured_on_the_users_own_step(start_session: StartSession) -> None:
    document, editor = await profiled(start_session, saveFiles=True)
    session = document.session
    answer = await measure(document, 30.1)
    said = (
        "Switch anomaly mode off: step 41.2 ms → 30.1 ms, 27 % less (spread 3 %). "
        "Undo takes the edit back."
    )
    assert (answer["ok"], answer["message"], answer["step_ms"]) == (True, said, 30.1)
    assert session.messages()[-1] == said
    assert "set_detect_anomaly(True)" not in document.text
    assert editor.saved == [[document.uri]]
    request = session.request()
    assert (request["args"], request["steps"]) == (["--width", "8"], 10), "the steps of the report"
    # The edit is taken back: the finding of the next run knows what its fix gained.
    document.path.write_text(SLOW, encoding="utf-8")
    document.change(SLOW)
    session.script(costs={"net(x)": 12.0}, rules={"set_detect_anomaly": RULE}, step_ms=41.2)
    await document.profile()
    await until(lambda: len(session.reports) == 3, "the third report")
    trial = session.reports[-1]["report"]["findings"][0]["trial"]
    assert (trial["before_ms"]["median"], trial["after_ms"]["median"]) == (41.2, 30.1)
    assert trial["differs"] is True
    (found,) = session.diagnostics(document)
    assert "The fix was measured: step 41.2 ms → 30.1 ms, 27 % less" in found.message


async def test_nothing_gained_is_said_to_be_nothing(start_session: StartSession) -> None:
    document, _ = await profiled(start_session, saveFiles=True)
    answer = await measure(document, 41.0)
    assert answer["message"] == (
        "Switch anomaly mode off: nothing gained: step 41.2 ms → 41.0 ms, no more than steps "
        "differ by anyway (3 %). Undo takes the edit back."
    )


async def test_what_was_edited_meanwhile_is_not_the_fixs_gain(start_session: StartSession) -> None:
    """The file has changed since it was measured: it is measured as it is, and then fixed."""
    document, editor = await profiled(start_session, saveFiles=True)
    editor.text = SLOW.replace("net(x)", "net(x * 2)")
    document.path.write_text(editor.text, encoding="utf-8")
    document.change(editor.text)
    first = {"step_ms": 25.0, "rules": {"set_detect_anomaly": RULE}}
    answer = await measure(document, 20.0, costs={"net(x * 2)": 5.0}, runs=[first])
    assert "step 25.0 ms → 20.0 ms" in answer["message"]


async def test_a_client_that_cannot_save_is_told_to_and_then_what_it_gained(
    start_session: StartSession,
) -> None:
    document, editor = await profiled(start_session)
    session = document.session
    answer = await measure(document, 30.1)
    assert answer["message"] == (
        "Save the file and profile it: then you are told what 'Switch anomaly mode off' has gained."
    )
    document.path.write_text(editor.text, encoding="utf-8")
    await document.profile(args=["--width", "8"])
    assert "step 41.2 ms → 30.1 ms, 27 % less" in session.messages()[-1]


async def test_an_edit_that_is_not_taken_is_not_measured(start_session: StartSession) -> None:
    document, editor = await profiled(start_session, saveFiles=True)
    editor.takes = False
    answer = await measure(document, 30.1)
    assert answer["ok"] is False
    assert "did not take the edit" in answer["message"]
    assert not (document.session.control / "request").exists()


async def test_a_run_that_fails_leaves_the_edit_and_says_so(start_session: StartSession) -> None:
    document, _ = await profiled(start_session, saveFiles=True)
    answer = await measure(document, 1.0, failure={"kind": "no-step", "message": "No step."})
    assert answer["message"] == "The fix was not measured: No step. Undo takes the edit back."
    assert "set_detect_anomaly(True)" not in document.text


async def test_bad_parameters_and_lines_without_a_fix_are_refused(
    start_session: StartSession,
) -> None:
    document, _ = await profiled(start_session, saveFiles=True)
    for given, why in (
        ({"uri": document.uri, "rule": RULE}, "needs uri, rule and line"),
        ({"uri": document.uri, "rule": RULE, "line": 5}, "Line 5 has no fix for anomaly-mode"),
        ({"uri": document.uri + "x", "rule": RULE, "line": LINE}, "Profile the file first"),
    ):
        answer = await document.session.command("stepscope.fixAndMeasure", given)
        assert answer["ok"] is False
        assert why in answer["message"]


async def test_one_run_at_a_time(start_session: StartSession) -> None:
    document, _ = await profiled(start_session, saveFiles=True)
    session = document.session
    (command,) = [a.command for a in await document.actions(LINE) if a.title == TITLE]
    assert command is not None
    session.script(hold=["measuring"], costs={"net(x)": 12.0})
    running = document.start_profile()
    await until((session.control / "at-measuring").exists, "the run measures")
    answer = await session.command(command.command, *(command.arguments or ()))
    assert "is being profiled already" in answer["message"]
    (session.control / "pass-measuring").touch()
    assert (await asyncio.wait_for(running, 60))["ok"]


async def test_a_fix_can_be_looked_at_first(start_session: StartSession) -> None:
    document, _ = await profiled(start_session, saveFiles=True)
    fix, _, preview, _ = await document.actions(LINE)
    assert fix.is_preferred
    assert preview.title == f"Preview: {fix.title}"
    assert preview.edit is not None
    annotations = preview.edit.change_annotations or {}
    assert [each.needs_confirmation for each in annotations.values()] == [True]
    (change,) = preview.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == document.version
    plain = ((fix.edit and fix.edit.changes) or {})[document.uri]
    assert [edit.range for edit in change.edits] == [edit.range for edit in plain]
    assert {getattr(edit, "annotation_id", None) for edit in change.edits} == set(annotations)


async def test_a_client_that_cannot_preview_is_offered_none(start_session: StartSession) -> None:
    able = capabilities(stepscope={})
    assert able.workspace is not None
    able.workspace.workspace_edit = None
    session: Session = await start_session(client_capabilities=able)
    document = session.write("train.py", SLOW)
    document.open()
    session.script(costs={"net(x)": 12.0}, rules={"set_detect_anomaly": RULE})
    await document.profile()
    assert not [a.title for a in await document.actions(LINE) if a.title.startswith("Preview")]


async def test_a_problem_names_the_other_lines_of_its_cause(start_session: StartSession) -> None:
    session: Session = await start_session()
    text = "a.item()\nb.item()\nread(c)\n"
    document = session.write("train.py", text)
    document.open()
    session.script(
        costs={"a.item()": 5.0},
        findings=["a.item()", "b.item()"],
        related={"a.item()": {"read(c)": "reads another value"}},
    )
    await document.profile()

    def related(line: int) -> list[tuple[int, str]]:
        (found,) = [d for d in session.diagnostics(document) if d.range.start.line == line - 1]
        return [
            (each.location.range.start.line + 1, each.message)
            for each in found.related_information or []
        ]

    assert related(1) == [(3, "reads another value"), (2, "sync-in-step here too")]
    assert related(2) == [(1, "sync-in-step here too")]
    document.change("# new\n" + text.replace("read(c)\n", ""))
    await until(lambda: session.diagnostics(document)[0].range.start.line == 1, "they move")
    assert related(2) == [(3, "sync-in-step here too")], "a line that is gone is no place to go"
