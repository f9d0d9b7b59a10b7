"""What is shown on lines, before and after edits, in every position encoding."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.lsp.conftest import MODEL, Document, Session, StartSession, capabilities, until

pytestmark = pytest.mark.lsp

LINEAR, RELU, ITEM = 7, 8, 14
LINEAR_HINT = "41 % · 12.3 ms · ↑ 96 MB"


@pytest.fixture
async def document(session: Session) -> Document:
    """An open, profiled document with one finding."""
    document = session.write()
    document.open()
    session.script(findings=["loss.item()"])
    await document.profile()
    return document


# -- inlay hints ----------------------------------------------------------------------------------


async def test_hints_honour_the_requested_range(document: Document) -> None:
    assert list(await document.hints(LINEAR, RELU)) == [LINEAR, RELU]
    assert list(await document.hints(RELU, 13)) == [RELU]
    assert await document.hints(1, 6) == {}


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        # `        label = "🔥 深い"; y = self.a(x)`: one astral and two wide characters.
        (types.PositionEncodingKind.Utf8, 44),
        (types.PositionEncodingKind.Utf16, 38),
        (types.PositionEncodingKind.Utf32, 37),
    ],
)
async def test_positions_count_in_the_clients_units(
    start_session: StartSession, encoding: types.PositionEncodingKind, column: int
) -> None:
    session: Session = await start_session(
        client_capabilities=capabilities(position_encodings=[encoding])
    )
    document = session.write()
    session.script(findings=["self.a(x)"])
    await document.profile()
    (hint,) = await document.raw_hints(LINEAR, LINEAR)
    assert hint.position == types.Position(LINEAR - 1, column)
    (diagnostic,) = session.diagnostics(document)
    assert diagnostic.range.end == types.Position(LINEAR - 1, column)
    assert diagnostic.range.start == types.Position(LINEAR - 1, 8)


async def test_hints_can_be_switched_off_and_on(document: Document) -> None:
    session = document.session
    session.refreshed.clear()
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": {"inlayHints": {"precision": "off"}}})
    )
    assert await document.hints() == {}
    await until(lambda: "inlay hints" in session.refreshed, "the hints are refreshed")
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": {}})
    )
    assert len(await document.hints()) == 3


# -- edits ----------------------------------------------------------------------------------------


async def test_hints_move_with_their_lines(document: Document) -> None:
    document.change("# one\n# two\n" + MODEL)
    assert list(await document.hints()) == [LINEAR + 2, RELU + 2, ITEM + 2]


async def test_an_edited_line_is_marked_and_a_deleted_one_is_gone(document: Document) -> None:
    document.change(
        MODEL.replace("self.a(x)", "self.a(x * 2)").replace("        return y.relu()\n", "")
    )
    assert await document.hints() == {
        LINEAR: "41 % · 12.3 ms · 2026-01-02, before edit",
        ITEM - 1: "7 % · 2.00 ms · ↑ 96 MB",
    }
    assert "before the edit" in (await document.hover(LINEAR) or "")
    document.change(MODEL)
    assert (await document.hints())[LINEAR] == LINEAR_HINT


async def test_diagnostics_move_and_vanish_with_their_lines(document: Document) -> None:
    session = document.session

    def lines() -> list[int]:
        return [found.range.start.line + 1 for found in session.diagnostics(document)]

    assert lines() == [ITEM]
    document.change("# one\n" + MODEL)
    await until(lambda: lines() == [ITEM + 1], "the diagnostic moves")
    document.change(MODEL.replace("print(loss.item())", "print(loss)"))
    await until(lambda: lines() == [], "the diagnostic vanishes")
    document.change(MODEL)
    await until(lambda: lines() == [ITEM], "the diagnostic is back")


async def test_a_report_is_judged_against_the_text_that_ran(session: Session) -> None:
    document = session.write()
    document.open("# not saved yet\n" + MODEL)
    await document.profile()
    assert list(await document.hints()) == [LINEAR + 1, RELU + 1, ITEM + 1]


# -- hover ----------------------------------------------------------------------------------------


async def test_a_hover_shows_what_was_measured(document: Document) -> None:
    text = await document.hover(LINEAR) or ""
    assert text.startswith("**41 % of the step** (12.3 ms of 30.0 ms) in `Net.forward`")
    assert "| Forward | 4.10 ms |" in text
    assert "| Backward | 8.20 ms |" in text
    assert "| Memory live at the peak | 96 MB (40 % of it) |" in text
    assert "| `aten::linear` | forward | 1 | 2.00 ms | `[32, 64] · [64, 64]` | `float32` |" in text
    assert "no GPU was measured" in text
    assert "Device idle" not in text


async def test_there_is_no_hover_where_nothing_was_measured(document: Document) -> None:
    assert await document.hover(1) is None
    assert await document.hover(12) is None
    assert await document.hover(9_999) is None


# -- diagnostics and fixes ------------------------------------------------------------------------


async def test_a_diagnostic_carries_its_evidence(document: Document) -> None:
    (found,) = document.session.diagnostics(document)
    assert found.source == "stepscope"
    assert found.severity is types.DiagnosticSeverity.Warning
    assert "wait 1.50 ms" in found.message
    assert "Would save 500 µs to 1.50 ms per step (up to 5 % of it)." in found.message
    assert found.range == types.Range(types.Position(13, 8), types.Position(13, 26))


async def test_a_disabled_rule_is_silent_at_once(document: Document) -> None:
    session = document.session
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": {"rules": {"disable": ["sync-in-step"]}}})
    )
    await until(lambda: session.diagnostics(document) == [], "the diagnostic vanishes")
    await document.profile()
    await until(lambda: len(session.reports) == 2, "the second report arrives")
    assert [len(sent["report"]["findings"]) for sent in session.reports] == [1, 0]


async def test_a_comment_hides_a_finding_at_once_and_its_removal_shows_it_again(
    document: Document,
) -> None:
    session = document.session
    text = MODEL.split("\n")
    text[ITEM - 1] += "  # stepscope: ignore[sync-in-step]"
    document.change("\n".join(text))
    await until(lambda: session.diagnostics(document) == [], "the diagnostic vanishes")
    text[ITEM - 1] = text[ITEM - 1].replace("sync-in-step", "sink")
    document.change("\n".join(text))
    await until(lambda: len(session.diagnostics(document)) == 2, "it is back, with a hint")
    found, misspelled = session.diagnostics(document)
    assert (found.code, misspelled.code) == ("sync-in-step", "unknown-rule")
    assert misspelled.message.startswith("No rule is named 'sink'")


async def test_a_quick_fix_writes_that_comment(document: Document) -> None:
    action = (await document.actions(ITEM))[-1]
    assert action.title == "Ignore this hint here (sync-in-step)"
    assert action.edit is not None
    assert action.edit.changes is not None
    (edit,) = action.edit.changes[document.uri]
    assert edit.new_text == "  # stepscope: ignore[sync-in-step]"
    assert edit.range.start.line == ITEM - 1


async def test_a_rule_is_as_loud_as_the_settings_say(document: Document) -> None:
    session = document.session
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams(
            {"stepscope": {"rules": {"severity": {"sync-in-step": "hint"}}}}
        )
    )
    await until(
        lambda: (
            [d.severity for d in session.diagnostics(document)] == [types.DiagnosticSeverity.Hint]
        ),
        "the warning becomes a hint",
    )


# -- lenses ---------------------------------------------------------------------------------------


async def test_lenses_start_a_run(session: Session) -> None:
    document = session.write()
    document.open()
    lenses = await document.lenses()
    assert [lens.range.start.line + 1 for lens in lenses] == [5, 17]
    command = lenses[0].command
    assert command is not None
    assert command.title == "Profile this model"
    answer = await session.command(command.command, *(command.arguments or ()))
    assert answer["ok"]


async def test_lenses_stay_while_the_text_does_not_parse(session: Session) -> None:
    document = session.write()
    document.open()
    await document.lenses()
    document.change("import (\n" + MODEL)
    assert [lens.range.start.line + 1 for lens in await document.lenses()] == [6, 18]


# -- files that come and go -----------------------------------------------------------------------


async def test_a_closed_file_is_read_from_disk(document: Document) -> None:
    document.change("# only in the editor\n" + MODEL)
    document.close()
    assert list(await document.hints()) == [LINEAR, RELU, ITEM]
    document.path.write_text("# on disk\n" + MODEL, encoding="utf-8")
    assert list(await document.hints()) == [LINEAR + 1, RELU + 1, ITEM + 1]


async def test_a_deleted_file_breaks_nothing(document: Document) -> None:
    document.close()
    document.path.unlink()
    assert await document.hints() == {}
    assert await document.hover(LINEAR) is None
    assert await document.lenses() == []
    assert await document.actions(ITEM) == []
    answer = await document.session.write("other.py").profile()
    assert answer["ok"]


async def test_a_file_deleted_during_the_run_breaks_nothing(session: Session) -> None:
    document = session.write()
    session.script(failure={"kind": "usage", "message": "gone", "file": "/no/such.py", "line": 3})
    assert await document.profile() == {"ok": False, "message": "gone"}
    session.script()
    assert (await document.profile())["ok"]


async def test_clear_takes_everything_away(document: Document) -> None:
    session = document.session
    other = session.write("other.py")
    await other.profile()
    await session.command("stepscope.clear", {"uri": document.uri})
    assert await document.hints() == {}
    assert session.diagnostics(document) == []
    assert await other.hints()
    await session.command("stepscope.clear")
    assert await other.hints() == {}


# -- options --------------------------------------------------------------------------------------


async def test_bad_options_are_told_once_and_the_defaults_used(
    start_session: StartSession,
) -> None:
    bad = {"steps": -1, "timeout": "long", "rules": ["x"]}
    session: Session = await start_session(bad)
    await until(session.messages, "the problem is told")
    (message,) = session.messages()
    assert "stepscope.steps must be a whole number from 1" in message
    assert "stepscope.timeout must be seconds above 0" in message
    assert "stepscope.rules must be an object" in message
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": bad})
    )
    await session.write().profile()
    assert session.request()["timeout_s"] == 300
    assert len(session.messages()) == 1


async def test_options_are_pulled_from_a_client_that_does_not_push(
    start_session: StartSession,
) -> None:
    session: Session = await start_session()
    session.client.set_configuration({"stepscope": {"steps": 5}})
    document = session.write()
    await document.profile()
    session.refreshed.clear()
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await until(lambda: session.refreshed, "the options are taken")
    await document.profile()
    assert session.request()["steps"] == 5
