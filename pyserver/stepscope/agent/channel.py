"""The two pipes between session and agent.

*Control* carries JSON lines from the agent: phases, the boundary found, how it ended. Child
processes of the target share it: a line is one write, shorter than what a pipe takes at once.
*Lifeline* carries nothing but the session's own life: when it closes, the editor is gone and so are
we. A single byte on it asks where the target is just now.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any


class Channel:
    """Sends messages; safe from any thread; silent once the session has gone."""

    def __init__(self, control: int | None, rank: int | None = None) -> None:
        """``control`` None: there is no session to tell. ``rank`` goes with every message."""
        if control is not None:
            os.set_inheritable(control, False)
        self._fd = control
        self._who = {} if rank is None else {"rank": rank}
        self._lock = threading.Lock()

    def become_child(self) -> None:
        """After a fork: whoever held the lock in the parent will not give it back here."""
        self._lock = threading.Lock()

    def send(self, kind: str, **fields: Any) -> None:
        """Send one message."""
        if self._fd is None:
            return
        line = json.dumps({"kind": kind, **self._who, **fields}).encode("ascii") + b"\n"
        with self._lock:
            try:
                while line:
                    line = line[os.write(self._fd, line) :]
            except OSError:
                pass


def watch_lifeline(lifeline: int, answer: Callable[[], None], tidy: Callable[[], None]) -> None:
    """``answer`` when the session asks; when it is gone, ``tidy`` and end this process group."""
    os.set_inheritable(lifeline, False)

    def watch() -> None:
        while True:
            try:
                asked = os.read(lifeline, 1)
            except OSError:
                asked = b""
            if not asked:
                try:
                    tidy()
                finally:
                    end_group()  # whatever could not be taken away
            answer()

    threading.Thread(target=watch, name="stepscope-lifeline", daemon=True).start()


def end_group() -> None:
    """End this process and what it started (the session made it a group leader)."""
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
