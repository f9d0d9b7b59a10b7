"""Heat, totals, links: what a client gets that can show more than the protocol has words for."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest
from lsprotocol import types

from tests.lsp.conftest import MODEL, Document, Session, StartSession, capabilities, until

pytestmark = pytest.mark.lsp

LINEAR, RELU, ITEM = 7, 8, 14
ALL = {
    "heat": True,
    "saveFiles": True,
    "commands": ["stepscope.openReport", "stepscope.copyFigures"],
}


@pytest.fixture
async def document(start_session: StartSession) -> Document:
    """An open, profiled document in a client that can do everything."""
    session: Session = await start_session(client_capabilities=capabilities(stepscope=ALL))
    document = session.write()
    document.open()
    session.script(findings=["loss.item()"])
    await document.profile()
    return document


def heat(session: Session, uri: str) -> dict[int, tuple[int, str, bool]]:
    """1-based line to level, share and staleness, as last sent."""
    sent = [each for each in session.heat if each["uri"] == uri]
    return {
        line["line"]: (line["level"], line["share"], line["stale"])
        for line in (sent[-1]["lines"] if sent else [])
    }


def change_settings(session: Session, settings: dict[str, Any]) -> None:
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": settings})
    )


async def test_heat_has_levels_and_follows_edits(document: Document) -> None:
    session = document.session
    hot = {LINEAR: (3, "41 %", False), RELU: (2, "13 %", False), ITEM: (2, "7 %", False)}
    assert heat(session, document.uri) == hot
    document.change("# one\n" + MODEL.replace("y.relu()", "y.relu() + 1"))
    await until(lambda: session.heat[-1]["version"] == document.version, "the marks of the edit")
    assert heat(session, document.uri) == {
        LINEAR + 1: (3, "41 %", False),
        RELU + 1: (2, "13 %", True),
        ITEM + 1: (2, "7 %", False),
    }


async def test_heat_can_be_switched_off(document: Document) -> None:
    session = document.session
    change_settings(session, {"heat": {"enabled": False}})
    await until(lambda: heat(session, document.uri) == {}, "the marks are taken away")
    change_settings(session, {})
    await until(lambda: len(heat(session, document.uri)) == 3, "the marks are back")
    await session.command("stepscope.clear")
    await until(lambda: heat(session, document.uri) == {}, "cleared results leave no marks")


async def test_a_client_that_does_not_ask_gets_no_heat_and_no_dead_links(session: Session) -> None:
    document = session.write()
    await document.profile()
    text = await document.hover(LINEAR) or ""
    assert "command:" not in text
    assert session.heat == []
    assert [lens.command.command for lens in await document.lenses() if lens.command] == [
        "stepscope.profile",
        "stepscope.profile",
        "",
        "",
        "",
        "",
        "",
    ]


async def test_a_hover_leads_to_the_report_to_the_clipboard_and_to_pages(
    document: Document,
) -> None:
    text = await document.hover(ITEM) or ""
    links = dict(part.strip("[)").split("](", 1) for part in text.split("\n")[2].split(" · "))
    assert list(links) == [
        "Open report here",
        "Copy",
        "Explain sync-in-step",
        "What these figures mean",
    ]

    def arguments(title: str) -> Any:
        command, _, query = links[title].partition("?")
        return command, json.loads(unquote(query))

    assert arguments("Open report here") == (
        "command:stepscope.openReport",
        [{"uri": document.uri, "line": ITEM}],
    )
    command, (figures,) = arguments("Copy")
    assert command == "command:stepscope.copyFigures"
    assert figures["text"].split("\n")[0] == "train.py:14  7 % of the step (2.00 ms of 30.0 ms)"
    assert "Host                     2.00 ms\n" in figures["text"]
    assert links["Explain sync-in-step"].endswith("/docs/rules/sync-in-step.md")
    assert links["What these figures mean"].endswith("/docs/reading-lines.md")


async def test_totals_stand_above_functions_classes_and_loops(document: Document) -> None:
    def totals(lenses: list[types.CodeLens]) -> list[tuple[int, str]]:
        return [
            (lens.range.start.line + 1, lens.command.title)
            for lens in lenses
            if lens.command and lens.command.command == "stepscope.openReport"
        ]

    lenses = await document.lenses()
    both = "54 % · 5.43 ms forward, 10.9 ms backward"
    one = "7 % · 667 µs forward, 1.33 ms backward"
    step = "Step 30.0 ms on the CPU · 39 % on no line of yours (11.7 ms) · measured 2026-01-02"
    assert totals(lenses) == [
        (1, step),
        (5, f"Net · {both}"),
        (6, f"forward · {both}"),
        (11, f"main · {one}"),
        (12, f"this loop · {one}"),
    ]
    document.change("# one\n" + MODEL.replace("y.relu()", "y.relu() + 1"))
    assert totals(await document.lenses()) == [
        (1, step + " · edited since"),
        (6, f"Net · {both} · 2026-01-02, before edit"),
        (7, f"forward · {both} · 2026-01-02, before edit"),
        (12, f"main · {one}"),
        (13, f"this loop · {one}"),
    ]


async def test_totals_and_run_lenses_are_switched_off_by_themselves(document: Document) -> None:
    async def commands() -> set[str]:
        return {lens.command.command for lens in await document.lenses() if lens.command}

    change_settings(document.session, {"codeLens": {"totals": False}})
    assert await commands() == {"stepscope.profile"}
    change_settings(document.session, {"codeLens": {"run": False}})
    assert await commands() == {"stepscope.openReport"}


async def test_shares_alone_on_request(document: Document) -> None:
    change_settings(document.session, {"inlayHints": {"precision": "share"}})
    assert await document.hints() == {LINEAR: "41 %", RELU: "13 %", ITEM: "7 %"}


async def test_every_file_of_every_folder_is_annotated(start_session: StartSession) -> None:
    """A workspace of two folders: the model is in one, the script that trains it in the other."""
    session: Session = await start_session(client_capabilities=capabilities(stepscope=ALL))
    other = session.folder.parent / "other folder"
    other.mkdir()
    session.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(
            types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(other.as_uri(), "o")], [])
        )
    )
    train = session.write("train.py", "from net import Net\nNet()(1)\n")
    net = other / "net.py"
    net.write_text(
        "class Net:\n    def __call__(self, x):\n        return x * 2\n", encoding="utf-8"
    )
    session.script(costs={"Net()(1)": 3.0}, elsewhere={str(net): {"x * 2": 12.0}})
    await train.profile()
    assert session.request()["workspace"] == [str(session.folder), str(other)]
    assert session.request()["cwd"] == str(session.folder)
    assert heat(session, train.uri) == {2: (2, "10 %", False)}
    # Not open anywhere: the marks wait for the file to be.
    assert heat(session, net.as_uri()) == {3: (3, "40 %", False)}
    there = Document(session, net, net.as_uri())
    there.open()
    assert await there.hints() == {3: "40 % · 12.0 ms · ↑ 96 MB"}
    lens = (await there.lenses())[0]
    assert lens.command is not None
    assert lens.command.title == "Net · 40 % · 4.00 ms forward, 8.00 ms backward"
    await there.profile(args=[])
    assert session.request()["cwd"] == str(other), "a file runs in the folder it is in"


NOTEBOOK = """\
#!/usr/bin/env python
# coding: utf-8

# # A notebook, as `jupyter nbconvert --to script` writes it

# In[1]:


import torch


# In[2]:


for x in torch.rand(5, 3):
    y = x.exp()
"""


async def test_a_notebook_as_a_script_is_a_file_like_any_other(document: Document) -> None:
    session = document.session
    script = session.write("notebook.py", NOTEBOOK)
    script.open()
    session.script(costs={"x.exp()": 12.0})
    await script.profile()
    assert await script.hints() == {16: "40 % · 12.0 ms · ↑ 96 MB"}
    cells = NOTEBOOK.replace("# In[2]:", "# %%")
    script.change(cells)
    assert await script.hints() == {16: "40 % · 12.0 ms · ↑ 96 MB"}
    assert [lens.range.start.line + 1 for lens in await script.lenses()] == [1, 15]
