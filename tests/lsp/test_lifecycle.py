"""Start and end of the server process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from stepscope.session.model import Phase
from tests.lsp.conftest import PATIENCE_S, Session, StartSession, environment, soon

pytestmark = pytest.mark.lsp

PROBE = """\
import sys, threading
from stepscope.server import build_server, serve_stdio
server = build_server()
@server.command("test.modules")
def modules(*_):
    return sorted({name.partition(".")[0] for name in sys.modules})
@server.command("test.print")
def stray(*_):
    print("a stray print")
raise SystemExit(serve_stdio(server))
"""


async def test_the_server_process_never_imports_torch(start_session: StartSession) -> None:
    session: Session = await start_session(command=[sys.executable, "-c", PROBE])
    document = session.write()
    document.open()
    await document.lenses()
    loaded = await session.command("test.modules")
    assert "pygls" in loaded
    assert not {"torch", "numpy", "rich"} & set(loaded)


async def test_a_stray_print_does_not_reach_the_protocol(start_session: StartSession) -> None:
    session: Session = await start_session(command=[sys.executable, "-c", PROBE])
    assert await session.command("test.print") is None
    assert "pygls" in await session.command("test.modules")


async def test_shutdown_stops_the_run_first(session: Session) -> None:
    session.script(hold=["measuring"])
    run = session.write().start_profile()
    await session.reached(Phase.MEASURING)
    await soon(session.client.shutdown_async(None))
    assert (session.control / "ended").read_text() == "cancelled"
    run.cancel()
    session.client.exit(None)
    assert await soon(_process(session).wait()) == 0


async def test_an_editor_that_is_gone_stops_the_run(session: Session) -> None:
    session.script(hold=["measuring"])
    run = session.write().start_profile()
    await session.reached(Phase.MEASURING)
    stdin = _process(session).stdin
    assert stdin is not None
    stdin.close()
    await soon(_process(session).wait())
    assert (session.control / "ended").read_text() == "cancelled"
    run.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not delivered there")
async def test_a_terminated_server_stops_the_run(session: Session) -> None:
    session.script(hold=["measuring"])
    run = session.write().start_profile()
    await session.reached(Phase.MEASURING)
    os.kill(_process(session).pid, signal.SIGTERM)
    assert await soon(_process(session).wait()) == 128 + signal.SIGTERM
    assert (session.control / "ended").read_text() == "cancelled"
    run.cancel()


async def test_a_broken_feature_does_not_take_the_others_along(
    start_session: StartSession, tmp_path: Path
) -> None:
    probe = PROBE.replace(
        "server = build_server()",
        "server = build_server()\nserver.choices.line = lambda *_: 1 / 0",
    )
    session: Session = await start_session(command=[sys.executable, "-c", probe])
    document = session.write()
    document.open()
    assert await document.lenses() == []
    assert await document.hints() == {}
    assert [action.title for action in await document.actions(1)] == []


async def test_what_the_server_offers(session: Session) -> None:
    offered = session.offered
    assert offered.hover_provider
    assert offered.inlay_hint_provider
    assert offered.code_lens_provider
    assert isinstance(offered.code_action_provider, types.CodeActionOptions)
    assert list(offered.code_action_provider.code_action_kinds or ()) == ["quickfix"]
    assert offered.execute_command_provider is not None
    assert sorted(offered.execute_command_provider.commands) == [
        "stepscope.cancel",
        "stepscope.clear",
        "stepscope.editAssumption",
        "stepscope.fixAndMeasure",
        "stepscope.getReport",
        "stepscope.open",
        "stepscope.profile",
        "stepscope.removeNewFiles",
    ]


def _process(session: Session) -> asyncio.subprocess.Process:
    process = session.client._server
    assert process is not None
    return process


async def test_one_client_is_served_on_a_loopback_port() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "stepscope", "serve", "--tcp", f"127.0.0.1:{port}"],
        env=environment(),
    )
    try:
        reader, writer = await _connect(port)
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"processId": None, "rootUri": None, "capabilities": {}},
            }
        ).encode()
        writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        header = await soon(reader.readuntil(b"\r\n\r\n"))
        answer = json.loads(await soon(reader.readexactly(int(header.split()[1]))))
        assert answer["result"]["serverInfo"]["name"] == "stepscope"
        writer.close()
        assert await soon(process.wait()) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _connect(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except ConnectionError:
            assert asyncio.get_running_loop().time() < deadline, "the server never listens"
            await asyncio.sleep(0.02)
