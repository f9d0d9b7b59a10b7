"""The real server with the real agent under torch: one small training loop, no fakes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest
from lsprotocol import types

from stepscope.report.schema import load_schema
from stepscope.session.model import Phase
from tests.lsp.conftest import Session, StartSession, soon, until

pytest.importorskip("torch")
pytestmark = [pytest.mark.lsp, pytest.mark.agent]

TRAIN = """\
import os
import sys
from pathlib import Path

import torch
from torch import nn

Path(__file__).with_name("pid").write_text(str(os.getpid()))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(256, 256)

    def forward(self, x):
        deep = "🔥 深い"; return self.hidden(x).relu()


def main():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    for step in range(steps):
        loss = net(torch.randn(512, 256)).mean()
        print(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""

ENDLESS_SETUP = """\
import threading
threading.Event().wait(600)


def main"""

FORWARD, LOSS, ITEM, BACKWARD = 17, 25, 26, 28

SERVER = [sys.executable, "-m", "stepscope", "serve"]


@pytest.fixture
async def real(start_session: StartSession) -> Session:
    """A server as an editor starts it."""
    session: Session = await start_session(command=SERVER)
    return session


async def test_a_small_training_loop_is_profiled(real: Session) -> None:
    document = real.write("深い train.py", TRAIN)
    document.open()
    answer = await document.profile(steps=5)
    assert answer["ok"], answer
    assert answer["step_ms"] > 0

    hints = await document.hints()
    assert {FORWARD, LOSS} <= set(hints)
    assert all(line in range(1, 33) for line in hints)
    shown = await document.hover(FORWARD) or ""
    assert "`aten::addmm`" in shown
    assert "| Backward |" in shown
    assert "no GPU was measured" in shown
    await until(lambda: real.reports, "the report arrives")
    report = real.reports[0]["report"]
    jsonschema.validate(report, load_schema())
    assert report["run"]["target"] == str(document.path)
    assert not [note for note in report["notes"] if note.startswith("Inconsistent")]
    whole = await real.command("stepscope.getReport", {"uri": document.uri})
    whole = json.loads(json.dumps(whole, default=vars))
    jsonschema.validate(whole, load_schema())
    charts = whole.pop("charts")
    assert whole == report
    lanes = {lane["kind"]: lane for lane in charts["timeline"]["lanes"]}
    assert {charts["places"][place]["line"] for place in lanes["lines"]["place"]} >= {FORWARD, LOSS}
    assert "aten::addmm" in {charts["names"][name] for name in lanes["host"]["name"]}
    tree = charts["flame"]["by_path"]
    assert sum(tree["self_ms"]) == pytest.approx(report["step_ms"]["median"])
    (forward,) = [
        node
        for node, place in enumerate(tree["place"])
        if place >= 0 and charts["places"][place]["line"] == FORWARD
    ]
    assert charts["places"][tree["place"][tree["parent"][forward]]]["line"] == LOSS
    phases = [getattr(shown, "message", None) or "" for shown in real.progress()]
    assert any(message.startswith("measuring") for message in phases)


async def test_a_finding_can_be_fixed_after_an_edit(real: Session) -> None:
    document = real.write("train.py", TRAIN)
    document.open()
    assert (await document.profile(steps=5))["ok"]
    (found,) = [d for d in real.diagnostics(document) if d.code == "sync-in-step"]
    assert found.range.start.line + 1 == ITEM
    assert found.code_description is not None
    assert found.code_description.href.endswith("/docs/rules/sync-in-step.md")

    document.change("# moved\n" + TRAIN)
    await until(
        lambda: (
            [d.range.start.line for d in real.diagnostics(document) if d.code == "sync-in-step"]
            == [ITEM]
        ),
        "the finding moves",
    )
    # So small a program may have other findings; these are the ones of this rule.
    action, measured, preview, ignore = [
        action
        for action in await document.actions(ITEM + 1)
        if any(found.code == "sync-in-step" for found in action.diagnostics or ())
    ]
    assert ignore.title == "Ignore this hint here (sync-in-step)"
    assert measured.title == f"Fix and measure again: {action.title}"
    assert preview.title == f"Preview: {action.title}"
    assert action.kind == types.CodeActionKind.QuickFix
    assert action.diagnostics is not None
    assert action.edit is not None
    assert action.edit.changes is not None
    edits = action.edit.changes[document.uri]
    assert {edit.range.start.line for edit in edits} == {ITEM}
    assert await document.actions(ITEM + 1, only=["refactor"]) == []
    assert await document.actions(1) == []


@pytest.mark.parametrize(
    ("phase", "options"),
    [
        (Phase.STARTING, {}),
        (Phase.WARMING_UP, {"warmup": 1_000_000}),
        (Phase.MEASURING, {"steps": 1_000_000}),
    ],
)
async def test_what_is_cancelled_leaves_no_process(
    start_session: StartSession, phase: Phase, options: dict[str, int]
) -> None:
    # Unguarded, so that the file in which the target says who it is can be seen while it runs.
    session: Session = await start_session({**options, "guard": False}, command=SERVER)
    text = TRAIN if phase is not Phase.STARTING else TRAIN.replace("def main", ENDLESS_SETUP)
    document = session.write("train.py", text)
    run = document.start_profile()
    pid = await _pid_of_target(document.path)
    await until(lambda: _phase_shown(session) == phase.value, f"the run is {phase.value}")
    assert await session.command("stepscope.cancel")
    answer = await soon(run)
    assert answer["ok"] is False
    await until(lambda: not _alive(pid), "the target is gone")
    assert session.messages() == []


async def test_an_editor_that_is_killed_leaves_no_process(start_session: StartSession) -> None:
    real: Session = await start_session({"guard": False}, command=SERVER)
    document = real.write("train.py", TRAIN)
    run = document.start_profile(steps=1_000_000)
    pid = await _pid_of_target(document.path)
    process = real.client._server
    assert process is not None
    process.kill()
    await soon(process.wait())
    await until(lambda: not _alive(pid), "the target is gone")
    run.cancel()


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        pytest.param("import no_such_module\n", "no_such_module", 1, id="import error"),
        pytest.param("x = 1\ndef broken(:\n", "syntax", 2, id="syntax error"),
        pytest.param("x = 1\nraise ValueError('no')\n", "ValueError", 2, id="exception"),
    ],
)
async def test_a_target_that_fails_is_marked_where_it_fails(
    real: Session, text: str, words: str, line: int
) -> None:
    document = real.write("train.py", text)
    document.open()
    answer = await document.profile()
    assert not answer["ok"]
    assert words.lower() in answer["message"].lower()
    assert real.messages() == [answer["message"]]
    (mark,) = real.diagnostics(document)
    assert mark.range.start.line + 1 == line


async def test_an_interpreter_without_torch_is_named(
    start_session: StartSession, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    create = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "venv", "--without-pip", str(bare)
    )
    assert await soon(create.wait()) == 0
    python = bare / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    session: Session = await start_session({"interpreter": [str(python)]}, command=SERVER)
    answer = await session.write("train.py", TRAIN).profile()
    assert not answer["ok"]
    assert "torch" in answer["message"]
    assert str(python) in answer["message"]


async def test_the_command_line_makes_the_same_report(tmp_path: Path) -> None:
    target = tmp_path / "train.py"
    target.write_text(TRAIN, encoding="utf-8")
    out = tmp_path / "report.json"
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "stepscope", "run", "--steps", "5", "--json", str(out)],
        *[str(target), "300"],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "COLUMNS": "120"},
    )
    stdout, stderr = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, stderr.decode()
    report = json.loads(out.read_text(encoding="utf-8"))
    jsonschema.validate(report, load_schema())
    assert report["run"]["args"] == ["300"]
    assert report["run"]["model"] == "Net"
    shown = stdout.decode()
    assert 'deep = "🔥 深い"; return self.hidden(x).relu()' in shown
    assert "Top lines" in shown


def _phase_shown(session: Session) -> str:
    messages = [getattr(shown, "message", None) or "" for shown in session.progress()]
    return messages[-1].split(" · ")[0] if messages else ""


async def _pid_of_target(path: Path) -> int:
    written = path.with_name("pid")
    await until(lambda: written.exists() and written.read_text(), "the target runs")
    return int(written.read_text())


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended and waits for its parent counts as gone.
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
