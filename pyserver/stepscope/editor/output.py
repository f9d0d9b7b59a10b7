"""What the target prints, line by line to the client: its beginning and its end, within a bound."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable

LIMIT_BYTES = 64 * 1024
"""Of one run's beginning. A script may print for hours; an editor keeps its output in memory."""

TAIL_BYTES = 16 * 1024
"""Of its end, where the reason of a failure stands."""

LONGEST_LINE = 4096

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, movements of the cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]"
)


class TargetOutput:
    """Cuts a stream of bytes into lines. ``feed`` is for the run's thread, the rest for the loop.

    Bytes that are not UTF-8 are replaced, never refused; what a terminal would obey (colours, a
    cursor that moves) is left out.
    """

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._taken = 0
        self._rest = ""
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._beyond = 0

    @property
    def empty(self) -> bool:
        """Whether nothing has been printed."""
        return self._taken == 0

    def feed(self, chunk: bytes, post: Callable[[Callable[[], None]], None]) -> None:
        """Take the next bytes; what is beyond the bound reaches the loop only as the end."""
        room = max(0, LIMIT_BYTES - self._taken)
        kept, beyond = chunk[:room], chunk[room:]
        self._taken += len(kept)
        if kept:
            post(lambda: self._write(kept))
        if beyond:
            self._beyond += len(beyond)
            self._keep(beyond[-TAIL_BYTES:])

    def finish(self) -> None:
        """Write a last line that has no end, and the end of a long output."""
        tail = b"".join(self._tail)[-TAIL_BYTES:]
        left_out = self._beyond - len(tail)
        if left_out:
            self._flush()
            _, _, tail = tail.partition(b"\n")  # what it begins with is the end of some line
            self._log(f"(about {max(1, left_out // 1024)} KiB of the output are not shown)")
            self._decoder.reset()
        self._write(tail)
        self._flush()

    def _keep(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def _write(self, chunk: bytes) -> None:
        text = self._rest + self._decoder.decode(chunk)
        *lines, self._rest = text.split("\n")
        self._rest = self._rest[-LONGEST_LINE:]
        if lines:
            self._log("\n".join(_shown(line) for line in lines))

    def _flush(self) -> None:
        if self._rest:
            self._log(_shown(self._rest))
            self._rest = ""


def _shown(line: str) -> str:
    # A progress bar returns to the start of its line: only its last state is worth a line.
    plain = _ESCAPES.sub("", line.rstrip("\r").rsplit("\r", 1)[-1])
    return plain[:LONGEST_LINE]
