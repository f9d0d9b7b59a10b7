"""What the editor says of a run's files, and the new ones that go on request."""

from __future__ import annotations

import pytest
from lsprotocol import types

from stepscope.session.model import Phase
from tests.lsp.conftest import Session, until

pytestmark = pytest.mark.lsp

REMOVE = "Remove the new files"


async def test_new_files_go_at_the_press_of_a_button(session: Session) -> None:
    document = session.write()
    folder = session.folder / "runs"
    folder.mkdir()
    new, edited = folder / "new.pt", session.folder / "edited.txt"
    new.write_text("new")
    edited.write_text("new")
    session.script(
        files={
            "kept": [str(session.folder / "old.pt")],
            "created": [str(new), str(edited)],
            "folders": [str(folder)],
            "changed": [],
        },
    )
    assert (await document.profile())["ok"]
    await until(lambda: session.asked, "the new files are told")
    sentence = (
        "train.py: Files: 1 file kept as it was (old.pt); 2 new files left (new.pt, edited.txt)."
    )
    assert session.asked == [(sentence, [REMOVE])]
    assert new.exists(), "nobody has asked for that yet"

    edited.write_text("somebody works on it")
    answer = await session.command("stepscope.removeNewFiles")
    assert answer == {"removed": [str(new)], "left": [str(edited)]}
    assert not folder.exists()
    assert edited.read_text() == "somebody works on it"
    assert await session.command("stepscope.removeNewFiles") == {"removed": [], "left": []}


async def test_the_button_removes_them(session: Session) -> None:
    document = session.write()
    new = session.folder / "new.pt"
    new.write_text("new")
    session.press = REMOVE
    session.script(files={"kept": [], "created": [str(new)], "changed": []})
    await document.profile()
    await until(lambda: not new.exists(), "the new file is removed")


async def test_a_change_that_slipped_through_is_said_unless_the_person_saved(
    session: Session,
) -> None:
    document = session.write()
    document.open()
    other = session.folder / "weights.bin"
    files = {"kept": [], "created": [], "changed": [str(document.path), str(other)]}
    session.script(hold=[Phase.MEASURING.value], files=files)
    run = document.start_profile()
    await session.reached(Phase.MEASURING)
    session.client.text_document_did_save(types.DidSaveTextDocumentParams(document.id))
    # The server has taken the notification once it answers what was asked after it.
    await document.lenses()
    session.let_pass(Phase.MEASURING)
    await run
    await until(session.messages, "the change is told")
    assert session.messages() == [
        f"Stepscope let train.py change {other}: unless you or another program changed it "
        "meanwhile, please report this."
    ]
    assert session.asked == []


async def test_the_guard_is_on_unless_the_setting_says_otherwise(session: Session) -> None:
    document = session.write()
    session.script()
    await document.profile()
    assert session.request()["guard"] is True
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": {"guard": False}})
    )
    session.script()
    await document.profile()
    assert session.request()["guard"] is False
