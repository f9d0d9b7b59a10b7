"""What the target prints, line by line into the client's log, up to a bound."""

from __future__ import annotations

import codecs
from collections.abc import Callable

LIMIT_BYTES = 64 * 1024
"""Of one run. A training script may print for hours; an editor keeps its log in memory."""

LONGEST_LINE = 4096


class TargetOutput:
    """Cuts a stream of bytes into lines. ``feed`` is for the run's thread, the rest for the loop.

    Bytes that are not UTF-8 are replaced, never refused.
    """

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._taken = 0
        self._rest = ""

    def feed(self, chunk: bytes, post: Callable[[Callable[[], None]], None]) -> None:
        """Take the next bytes; what is beyond the bound never reaches the loop."""
        room = LIMIT_BYTES - self._taken
        if room <= 0:
            return
        self._taken += len(chunk)
        kept = chunk[:room]
        post(lambda: self._write(kept))
        if self._taken >= LIMIT_BYTES:
            post(self._say_full)

    def finish(self) -> None:
        """Write a last line that has no end."""
        if self._rest:
            self._log(self._rest)
            self._rest = ""

    def _write(self, chunk: bytes) -> None:
        text = self._rest + self._decoder.decode(chunk)
        # A progress bar returns to the start of its line: only its last state is worth a line.
        *lines, self._rest = text.replace("\r\n", "\n").split("\n")
        self._rest = self._rest[-LONGEST_LINE:]
        complete = [line.rsplit("\r", 1)[-1][:LONGEST_LINE] for line in lines]
        if complete:
            self._log("\n".join(complete))

    def _say_full(self) -> None:
        self.finish()
        self._log(f"(the target's output beyond {LIMIT_BYTES // 1024} KiB is not shown)")
