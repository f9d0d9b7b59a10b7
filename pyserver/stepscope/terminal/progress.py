"""Progress and the target's own output, both on standard error, without tearing each other."""

from __future__ import annotations

import threading
from typing import BinaryIO

from stepscope import format as fmt
from stepscope.session.model import Phase, Progress

_CLEAR_LINE = b"\r\x1b[K"


class StatusLine:
    """On a terminal one line that is redrawn; elsewhere one line per phase.

    Called from the threads of a session. The target's bytes pass through unchanged.
    """

    def __init__(self, stream: BinaryIO, *, terminal: bool) -> None:
        self._stream = stream
        self._terminal = terminal
        self._lock = threading.Lock()
        self._phase: Phase | None = None
        self._text = ""
        self._at_line_start = True

    def progress(self, state: Progress) -> None:
        """Show how far the run is."""
        with self._lock:
            if state.still is not None:
                self._say(f"{fmt.stillness(state.still)}. It goes on; Ctrl-C stops it.")
            elif self._terminal:
                self._erase()
                self._text = f"stepscope: {fmt.progress(state)}"
                self._draw()
            elif state.phase is not self._phase:
                self._write(f"stepscope: {state.phase.value}\n".encode())
            self._phase = state.phase

    def output(self, chunk: bytes) -> None:
        """Pass the target's output on."""
        if not chunk:
            return
        with self._lock:
            self._erase()
            self._at_line_start = chunk.endswith(b"\n")
            self._write(chunk)
            self._draw()

    def close(self) -> None:
        """Take the status away, so that what follows starts on a line of its own."""
        with self._lock:
            self._erase()
            self._text = ""
            if not self._at_line_start:
                self._write(b"\n")

    def _say(self, text: str) -> None:
        """A line of its own, which stays."""
        self._erase()
        start = "" if self._at_line_start else "\n"
        self._write(f"{start}stepscope: {text}\n".encode())
        self._at_line_start = True
        self._draw()

    def _erase(self) -> None:
        if self._text and self._at_line_start:
            self._write(_CLEAR_LINE)

    def _draw(self) -> None:
        # In the middle of a line of the target's there is no room for a status.
        if self._text and self._at_line_start:
            self._write(self._text.encode())

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()


class Silence:
    """``--quiet``: shows nothing, but keeps the end of the output: a target may fail."""

    KEPT_BYTES = 64 * 1024

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept = bytearray()

    def progress(self, state: Progress) -> None:
        """Nothing is shown."""

    def output(self, chunk: bytes) -> None:
        """Keep the last bytes."""
        with self._lock:
            self._kept += chunk
            del self._kept[: -self.KEPT_BYTES]

    def close(self) -> None:
        """Nothing to take away."""

    @property
    def kept(self) -> bytes:
        """The end of what the target printed."""
        return bytes(self._kept)
