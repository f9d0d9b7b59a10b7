"""How fast the language server answers, over its real transport."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.running import COMMAND, SCRIPTS, ToolError, environment, run
from tests.bench.table import Row, skipped

STARTS = 5
LINES = 5000
HOVERS = 300
EVERY = 50  # lines that cost enough to be shown
INITIALIZE_LIMIT_S = 0.5
HOVER_LIMIT_MS = 10.0


class _Client:
    """A server process and the least that one needs to talk to it."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        self._number = 0

    def request(self, method: str, params: Any) -> Any:
        """The result. What the server sends before it is dropped, its requests answered."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            elif message.get("id") == self._number:
                if "error" in message:
                    raise ConnectionError(message["error"]["message"])
                return message["result"]

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def close(self) -> None:
        """Ask it to end, then see to it."""
        try:
            self.request("shutdown", None)
            self.notify("exit", None)
            self._process.wait(timeout=10)
        except (OSError, ConnectionError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        pipe = self._process.stdout
        assert pipe is not None
        length = 0
        while (line := pipe.readline()) != b"\r\n":
            if not line:
                raise ConnectionError("the server has ended")
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(pipe.read(length))
        return message


def rows() -> list[Row]:
    """The first answer of a fresh process, and hovers on a long report."""
    try:
        starts, bare = [], []
        for _ in range(STARTS):
            bare.append(run([sys.executable, "-c", "pass"])[1])
            starts.append(_start())
        hovers = _hovers()
    except (ToolError, OSError, ConnectionError) as error:
        return [skipped("server", str(error))]
    slow = statistics.quantiles(hovers, n=100)[94]
    return [
        Row(
            "server: from process start to the answer to `initialize`",
            statistics.median(starts),
            "s",
            INITIALIZE_LIMIT_S,
            f"{min(starts):.2f} to {max(starts):.2f} s; Python itself takes "
            f"{statistics.median(bare):.2f} s to start here",
        ),
        Row(
            f"server: a hover on a report of {LINES} lines",
            statistics.median(hovers),
            "ms",
            HOVER_LIMIT_MS,
            f"median of {HOVERS}; 95 of 100 within {slow:.1f} ms",
        ),
    ]


def _start() -> float:
    begun = time.perf_counter()
    client = _Client([sys.executable, COMMAND, "serve"])
    try:
        _initialize(client)
        return time.perf_counter() - begun
    finally:
        client.close()


def _initialize(client: _Client) -> None:
    client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    client.notify("initialized", {})


def _hovers() -> list[float]:
    """Milliseconds of each of some hovers, spread over the file."""
    with tempfile.TemporaryDirectory(prefix="stepscope-bench-") as folder:
        path = Path(folder) / "long.py"
        path.write_text("".join(f"x{n} = {n} + 1\n" for n in range(LINES)), encoding="utf-8")
        client = _Client([sys.executable, SCRIPTS / "server_with_report.py"])
        try:
            _initialize(client)
            uri = path.as_uri()
            document = {"uri": uri, "languageId": "python", "version": 1}
            text = path.read_text(encoding="utf-8")
            client.notify("textDocument/didOpen", {"textDocument": {**document, "text": text}})
            arguments = [{"uri": uri}]
            command = {"command": "stepscope.profile", "arguments": arguments}
            client.request("workspace/executeCommand", command)
            return [_hover(client, uri, EVERY * n % LINES) for n in range(HOVERS)]
        finally:
            client.close()


def _hover(client: _Client, uri: str, line: int) -> float:
    position = {"line": line, "character": 2}
    begun = time.perf_counter()
    found = client.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": position}
    )
    ms = (time.perf_counter() - begun) * 1e3
    if not found:
        raise ConnectionError(f"line {line + 1} has a cost and no hover")
    return ms
