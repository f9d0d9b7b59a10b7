"""A client, a server process and a run that the test steps through."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

from stepscope.session.model import Phase

PATIENCE_S = 60.0
"""Longest that a test waits for anything: far above what is needed, so that only a hang fails."""

ROOT = Path(__file__).parents[2]
FAKE_SERVER = Path(__file__).with_name("fake_server.py")

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        label = "🔥 深い"; y = self.a(x)
        return y.relu()


def main(net, loader):
    for x in loader:
        loss = net(x).mean()
        print(loss.item())


if __name__ == "__main__":
    main(None, [])
"""

COSTS = {"self.a(x)": 12.3, "y.relu()": 4.0, "loss.item()": 2.0}


async def soon(awaitable: Any) -> Any:
    """Await with a bound."""
    return await asyncio.wait_for(awaitable, PATIENCE_S)


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait until ``condition`` holds; fail naming ``what`` did not happen."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.005)


@dataclass
class Session:
    """A client with its server process and the control files of the run inside it."""

    client: LanguageClient
    folder: Path
    control: Path
    offered: types.ServerCapabilities = field(default_factory=types.ServerCapabilities)
    reports: list[dict[str, Any]] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    heat: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    press: str | Exception | None = None  # the button that the person presses
    entering: list[Any] = field(default_factory=list)
    enter: list[str] | None = None  # the arguments that the person enters
    output: list[dict[str, Any]] = field(default_factory=list)
    shown: list[Any] = field(default_factory=list)  # outputs that were to be opened

    # -- the run ---------------------------------------------------------------------------------

    def script(self, **script: Any) -> None:
        """How the next run goes: ``hold``, ``costs``, ``findings``, ``failure``, ``output``."""
        for old in self.control.iterdir():
            old.unlink()
        script = {"costs": COSTS} | script
        (self.control / "script.json").write_text(json.dumps(script), encoding="utf-8")

    async def reached(self, phase: Phase) -> None:
        await until((self.control / f"at-{phase.value}").exists, f"the run is {phase.value}")

    def let_pass(self, phase: Phase) -> None:
        (self.control / f"pass-{phase.value}").touch()

    async def ended(self) -> str:
        await until((self.control / "ended").exists, "the run has ended")
        return (self.control / "ended").read_text(encoding="utf-8")

    def request(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads((self.control / "request").read_text(encoding="utf-8"))
        return made

    # -- the client ------------------------------------------------------------------------------

    def write(self, name: str = "train.py", text: str = MODEL) -> Document:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return Document(self, path, path.as_uri())

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(command=name, arguments=list(arguments))
        return await soon(self.client.workspace_execute_command_async(params))

    def start(self, name: str, *arguments: Any) -> asyncio.Task[Any]:
        return asyncio.ensure_future(self.command(name, *arguments))

    def messages(self) -> list[str]:
        return [message.message for message in self.client.messages]

    def progress(self) -> list[Any]:
        """Everything shown in progress bars, in order."""
        return [value for values in self.client.progress_reports.values() for value in values]

    def diagnostics(self, document: Document) -> list[types.Diagnostic]:
        return list(self.client.diagnostics.get(document.uri, []))


@dataclass
class Document:
    """A file that the client may have open."""

    session: Session
    path: Path
    uri: str
    version: int = 0

    @property
    def id(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def open(self, text: str | None = None) -> None:
        item = types.TextDocumentItem(self.uri, "python", 0, self.text if text is None else text)
        self.session.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str) -> None:
        self.version += 1
        self.session.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self) -> None:
        self.session.client.text_document_did_close(types.DidCloseTextDocumentParams(self.id))

    async def profile(self, **fields: Any) -> Any:
        return await self.session.command("stepscope.profile", {"uri": self.uri, **fields})

    def start_profile(self, **fields: Any) -> asyncio.Task[Any]:
        return self.session.start("stepscope.profile", {"uri": self.uri, **fields})

    async def hints(self, first: int = 1, last: int = 10_000) -> dict[int, str]:
        """1-based line to the text of its inlay hint."""
        return {
            # Without the spaces that align figures.
            hint.position.line + 1: " ".join(str(hint.label).split())
            for hint in await self.raw_hints(first, last)
        }

    async def raw_hints(self, first: int = 1, last: int = 10_000) -> list[types.InlayHint]:
        wanted = types.Range(types.Position(first - 1, 0), types.Position(last - 1, 0))
        params = types.InlayHintParams(text_document=self.id, range=wanted)
        return list(await soon(self.session.client.text_document_inlay_hint_async(params)) or [])

    async def hover(self, line: int) -> str | None:
        """Markdown of the hover on a 1-based line."""
        params = types.HoverParams(self.id, types.Position(line - 1, 4))
        found = await soon(self.session.client.text_document_hover_async(params))
        return None if found is None else found.contents.value

    async def lenses(self) -> list[types.CodeLens]:
        params = types.CodeLensParams(self.id)
        return list(await soon(self.session.client.text_document_code_lens_async(params)) or [])

    async def actions(self, line: int, only: list[str] | None = None) -> list[types.CodeAction]:
        position = types.Position(line - 1, 0)
        params = types.CodeActionParams(
            self.id,
            types.Range(position, position),
            types.CodeActionContext(self.session.diagnostics(self), only=only),
        )
        return list(await soon(self.session.client.text_document_code_action_async(params)) or [])


def capabilities(
    *, progress: bool = True, stepscope: dict[str, Any] | None = None, **general: Any
) -> types.ClientCapabilities:
    """A client that can refresh hints and lenses, and shows progress unless told otherwise.

    ``stepscope``: what it can do beside the protocol, as our own extension says it.
    """
    return types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            configuration=True,
            workspace_folders=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=True,
                change_annotation_support=types.ChangeAnnotationsSupportOptions(),
            ),
        ),
        window=types.WindowClientCapabilities(work_done_progress=progress),
        general=types.GeneralClientCapabilities(**general),
        experimental=None if stepscope is None else {"stepscope": stepscope},
    )


def make_client(session_reports: list[dict[str, Any]], refreshed: list[str]) -> LanguageClient:
    """A test client that also takes our notification and the refresh requests."""
    client = make_test_lsp_client()
    converter = client.protocol._converter

    def command_or_action(value: Any, _: type) -> types.Command | types.CodeAction:
        # lsprotocol takes a code action that has a command for a bare command.
        bare = isinstance(value.get("command"), str)
        kind: Any = types.Command if bare else types.CodeAction
        return converter.structure(value, kind)  # type: ignore[no-any-return]

    union = Union[types.Command, types.CodeAction]  # noqa: UP007 - the name of its hook
    converter.register_structure_hook(union, command_or_action)

    @client.feature("stepscope/report")
    def report(params: Any) -> None:
        session_reports.append(_plain(params))

    @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
    def refresh_hints(params: None) -> None:
        refreshed.append("inlay hints")

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh_lenses(params: None) -> None:
        refreshed.append("code lenses")

    return client


def _take_heat(session: Session) -> None:
    @session.client.feature("stepscope/heat")
    def heat(params: Any) -> None:
        session.heat.append(_plain(params))


def _answer_questions(session: Session) -> None:
    """The client has buttons, and a person who presses what the test says."""

    @session.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        if isinstance(session.press, Exception):
            raise session.press
        titles = [action.title for action in params.actions or []]
        session.asked.append((params.message, titles))
        pressed, session.press = session.press, None
        return types.MessageActionItem(pressed) if pressed in titles else None

    @session.client.feature("stepscope/output")
    def output(params: Any) -> None:
        session.output.append(_plain(params))

    @session.client.feature("stepscope/showOutput")
    def show_output(params: Any) -> None:
        session.shown.append(_plain(params))

    @session.client.feature("stepscope/enterArguments")
    def enter(params: Any) -> list[str] | None:
        session.entering.append(_plain(params))
        return session.enter


def _plain(value: Any) -> Any:
    """Pygls hands unknown notifications over as objects; tests want what was on the wire."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        return dict(zip(value._fields, items, strict=True)) if hasattr(value, "_fields") else items
    return value


StartSession = Callable[..., Any]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers remember nothing of the person who runs the tests, nor of other tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
async def start_session(tmp_path: Path) -> AsyncIterator[StartSession]:
    """Start servers; each is shut down, and has to end, after the test."""
    sessions: list[Session] = []

    async def start(
        options: dict[str, Any] | None = None,
        client_capabilities: types.ClientCapabilities | None = None,
        command: list[str] | None = None,
    ) -> Session:
        number = len(sessions)
        folder, control = tmp_path / f"project {number}", tmp_path / f"control {number}"
        folder.mkdir()
        control.mkdir()
        reports: list[dict[str, Any]] = []
        refreshed: list[str] = []
        client = make_client(reports, refreshed)
        config = ClientServerConfig(
            server_command=command or [sys.executable, str(FAKE_SERVER), str(control)],
            client_factory=lambda: client,
            server_env=environment(),
        )
        await config.start()
        session = Session(client, folder, control, reports=reports, refreshed=refreshed)
        sessions.append(session)
        _answer_questions(session)
        _take_heat(session)
        session.script()
        answer = await soon(
            client.initialize_session(
                types.InitializeParams(
                    capabilities=client_capabilities or capabilities(),
                    workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "project")],
                    initialization_options={"stepscope": options or {}},
                )
            )
        )
        session.offered = answer.capabilities
        return session

    yield start
    for session in sessions:
        if session.client._server is not None and session.client._server.returncode is None:
            await soon(session.client.shutdown_session())
        await soon(session.client.stop())


@pytest.fixture
async def session(start_session: StartSession) -> Session:
    """One running server with default options."""
    started: Session = await start_session()
    return started


def environment() -> dict[str, str]:
    """Of a process that finds the package in the source tree."""
    path = os.pathsep.join([str(ROOT / "pyserver"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "TZ": "UTC"}
