"""What a run assumed about a model: above its class, and in the file after a click."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.conftest import Document, Session, soon

pytestmark = pytest.mark.lsp

SOURCE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)
"""
CLASS, COST = 5, 11
ASSUMED = {
    "line": CLASS,
    "constructor": "Net(width=64)",
    "inputs": "torch.randn(8, 64)",
    "source": "names and annotations of its parameters",
}
TITLE = "Assumed: Net(width=64), inputs (8, 64)"


@pytest.fixture
async def document(session: Session) -> Document:
    """An open file that only defines a model, with the report of a run of it."""
    document = session.write("net.py", SOURCE)
    document.open()
    session.script(costs={"self.fc(x)": 3.0}, assumed=ASSUMED)
    await document.profile()
    return document


async def lenses(document: Document) -> list[tuple[int, str, list[Any]]]:
    """Those that a click does something with; totals are text alone for this client."""
    found = await document.lenses()
    return [
        (lens.range.start.line + 1, lens.command.title, list(lens.command.arguments or []))
        for lens in found
        if lens.command is not None and lens.command.command
    ]


def edits(session: Session, *, applied: bool = True) -> list[types.ApplyWorkspaceEditParams]:
    """The edits that the server asks the client for from now on."""
    asked: list[types.ApplyWorkspaceEditParams] = []

    @session.client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        asked.append(params)
        return types.ApplyWorkspaceEditResult(applied=applied)

    return asked


async def test_the_class_says_what_was_assumed(document: Document) -> None:
    assert await lenses(document) == [
        (CLASS, "Profile this model", [{"uri": document.uri, "symbol": "Net"}]),
        (CLASS, TITLE, [{"uri": document.uri}]),
    ]
    assert "Assumed, not your workload" in (await document.hover(COST) or "")
    document.change("# one\n" + SOURCE)
    assert (CLASS + 1, TITLE, [{"uri": document.uri}]) in await lenses(document)


async def test_a_click_on_the_class_asks_for_that_class(document: Document) -> None:
    session = document.session
    session.script(costs={"self.fc(x)": 3.0})
    await session.command("stepscope.profile", {"uri": document.uri, "symbol": "Net"})
    assert session.request()["symbol"] == "Net"
    assert [title for _, title, _ in await lenses(document)] == ["Profile this model"]


async def test_a_click_writes_the_assumption_above_the_class(document: Document) -> None:
    session = document.session
    asked = edits(session)
    await session.command("stepscope.editAssumption", {"uri": document.uri})
    (params,) = asked
    assert params.edit.changes is not None
    (edit,) = params.edit.changes[document.uri]
    position = types.Position(CLASS - 1, 0)
    assert edit.range == types.Range(position, position)
    assert edit.new_text == (
        "# stepscope: model=Net(width=64)\n# stepscope: inputs=torch.randn(8, 64)\n"
    )


async def test_comments_that_are_there_are_left_alone(document: Document) -> None:
    session = document.session
    document.change(SOURCE.replace("class Net", "# stepscope: model=Net(3)\nclass Net"))
    asked = edits(session)
    await session.command("stepscope.editAssumption", {"uri": document.uri})
    assert asked == []


async def test_without_a_run_there_is_nothing_to_edit(session: Session) -> None:
    document = session.write("net.py", SOURCE)
    document.open()
    asked = edits(session)
    await session.command("stepscope.editAssumption", {"uri": document.uri})
    assert asked == []
    assert session.messages() == ["Profile the file first: then there is an assumption to edit."]


async def test_the_setting_reaches_the_run(session: Session) -> None:
    document = session.write("net.py", SOURCE)
    document.open()
    setting = {"Net": {"model": "Net(3)", "inputs": "torch.randn(2, 3)"}}
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"stepscope": {"modelInputs": setting}})
    )
    session.script(costs={"self.fc(x)": 3.0})
    await soon(document.profile())
    assert session.request()["model_inputs"] == [["Net", "Net(3)", "torch.randn(2, 3)"]]
