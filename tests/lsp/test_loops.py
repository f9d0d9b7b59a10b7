"""A file with several loops: a lens on each, and the choice is remembered."""

from __future__ import annotations

import pytest

from tests.lsp.conftest import Document, Session

pytestmark = pytest.mark.lsp

SOURCE = """\
import torch
net = torch.nn.Linear(4, 4)
for x in data:
    net(x).sum().backward()
with torch.no_grad():
    for y in data:
        net(y)
"""
TRAINING, EVALUATION = 3, 6
COSTS = {"net(x).sum().backward()": 1.0}


async def titles(document: Document) -> list[tuple[int, str]]:
    """Of the lenses that start something; totals are text alone for this client."""
    found = await document.lenses()
    return [
        (lens.range.start.line + 1, lens.command.title)
        for lens in found
        if lens.command is not None and lens.command.command
    ]


async def click(session: Session, document: Document, line: int, title: str) -> None:
    """What the editor sends when that lens is clicked."""
    for lens in await document.lenses():
        command = lens.command
        if command and (lens.range.start.line + 1, command.title) == (line, title):
            session.script(costs=COSTS)
            answer = await session.command(command.command, *(command.arguments or []))
            assert answer["ok"]
            return
    pytest.fail(f"no lens {title!r} at line {line}")


async def test_a_chosen_loop_is_remembered_until_it_is_let_go(
    session: Session,
) -> None:
    document = session.write(text=SOURCE)
    document.open()
    offered = [(TRAINING, "Profile this loop"), (EVALUATION, "Profile this loop")]
    assert await titles(document) == offered

    await click(session, document, EVALUATION, "Profile this loop")
    assert session.request()["loop"] == EVALUATION
    assert await titles(document) == [
        (TRAINING, "Profile this loop"),
        (EVALUATION, "Profile this loop (chosen)"),
        (EVALUATION, "Let Stepscope choose"),
    ]

    session.script(costs=COSTS)
    await document.profile()
    assert session.request()["loop"] == EVALUATION, "the next run takes the remembered loop"

    await click(session, document, EVALUATION, "Let Stepscope choose")
    assert session.request()["loop"] is None
    assert await titles(document) == offered


async def test_a_line_without_a_loop_is_refused(session: Session) -> None:
    document = session.write(text=SOURCE)
    answer = await document.profile(loop=1)
    assert answer == {
        "ok": False,
        "message": f"There is no loop at line 1 of {document.path.name}.",
    }
