"""One agent process: its pipes, its group, its end."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stepscope.session.profiler_warnings import without_ours

LAUNCH = Path(__file__).resolve().parent.parent / "agent" / "launch.py"
_TAIL_BYTES = 64 * 1024
# Once a child has been recorded, the main process has nothing to do but wait for its children.
_CHILD_GRACE_S = 1.0

Event = tuple[str, Any]
"""("message", dict) from the agent, ("exit", status) or ("cancel", None)."""


class Tail:
    """The last bytes of a stream that several threads may write."""

    def __init__(self) -> None:
        self._chunks: collections.deque[bytes] = collections.deque()
        self._size = 0
        self._lock = threading.Lock()

    def add(self, chunk: bytes) -> None:
        """Keep the end of what is there with ``chunk``."""
        with self._lock:
            self._chunks.append(chunk)
            self._size += len(chunk)
            while self._size - len(self._chunks[0]) > _TAIL_BYTES:
                self._size -= len(self._chunks.popleft())

    def text(self) -> str:
        """Decoded as well as it can be."""
        with self._lock:
            return b"".join(self._chunks).decode("utf-8", "replace")


class AgentProcess:
    """A running agent. Every exit reason ends in ``close``, which leaves no process behind."""

    def __init__(
        self,
        python: str,
        config: dict[str, Any],
        arguments: Sequence[str],
        cwd: Path,
        on_output: Callable[[bytes], None],
        environment: Mapping[str, str],
        inherited: Sequence[int] = (),
    ) -> None:
        """Start it; it is given the file descriptors ``inherited``.

        Raises ``OSError`` when the interpreter cannot be started.
        """
        self.events: queue.Queue[Event] = queue.Queue()
        self.groups: list[int] = []  # further process groups that the agent has started
        self._errors, self._all = Tail(), Tail()
        self._on_output = on_output
        self._longest_grace_s = float("inf")
        control, control_write = os.pipe()
        lifeline_read, self._lifeline = os.pipe()
        config = {**config, "control": control_write, "lifeline": lifeline_read}
        try:
            self._process = subprocess.Popen(
                [python, str(LAUNCH), json.dumps(config), *arguments],
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(control_write, lifeline_read, *inherited),
                start_new_session=True,
            )
        except OSError:
            os.close(control)
            os.close(self._lifeline)
            raise
        finally:
            os.close(control_write)
            os.close(lifeline_read)
        self._readers = [
            self._spawn(self._read_messages, control),
            self._spawn(self._read_output, self._process.stdout, False),
            self._spawn(self._read_output, self._process.stderr, True),
        ]
        self._spawn(self._await_exit)

    @property
    def pid(self) -> int:
        """The agent's process id, which is its process group too."""
        return self._process.pid

    def ask_where(self) -> None:
        """Ask where the target is; the answer comes as a "where" message."""
        with contextlib.suppress(OSError):
            os.write(self._lifeline, b"w")

    def error_tail(self) -> str:
        """The end of what the target wrote to standard error."""
        return self._errors.text()

    def output_tail(self) -> str:
        """The end of all that the target wrote."""
        return self._all.text()

    def only_waits(self) -> None:
        """What was to be seen was seen in a child: the main process need not take long to end."""
        self._longest_grace_s = _CHILD_GRACE_S

    def close(self, grace_s: float) -> None:
        """Wait ``grace_s`` for the target to finish by itself, then end its whole group."""
        if self._lifeline < 0:
            return
        grace_s = min(grace_s, self._longest_grace_s)
        try:
            self._process.wait(timeout=grace_s)
        except subprocess.TimeoutExpired:
            self._signal_group(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=min(1.0, max(grace_s, 0.2)))
        # The leader's end does not end its workers; the group's id stays valid while one lives.
        self._signal_group(signal.SIGKILL)
        self._process.wait()
        os.close(self._lifeline)
        self._lifeline = -1
        for reader in self._readers:
            reader.join(timeout=2.0)

    def _signal_group(self, number: int) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        groups = [self._process.pid]
        if number == signal.SIGKILL:
            groups += self.groups  # a launcher's own groups: it ends them itself when it is asked
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

    def _spawn(self, function: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        thread.start()
        return thread

    def _read_messages(self, control: int) -> None:
        with open(control, "rb") as lines:
            for line in lines:
                with contextlib.suppress(ValueError):
                    message = json.loads(line)
                    if message["kind"] == "group":
                        self.groups.append(message["pid"])
                    else:
                        self.events.put(("message", message))

    def _read_output(self, pipe: Any, is_errors: bool) -> None:
        while chunk := pipe.read1(65536):
            if is_errors:
                chunk = without_ours(chunk)
                self._errors.add(chunk)
            self._all.add(chunk)
            if chunk:
                self._on_output(chunk)
        pipe.close()

    def _await_exit(self) -> None:
        status = self._process.wait()
        # What the agent said last is still in the pipe: let its reader finish before the exit
        # counts.
        self._readers[0].join(timeout=2.0)
        self.events.put(("exit", status))
