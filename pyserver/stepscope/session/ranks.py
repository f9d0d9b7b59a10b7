"""A target that runs as several ranks on this machine: torchrun's process and a seat for each rank.

A seat is what a rank needs of its own: pipes for its output, so that each line can say whose it is,
and a lifeline, so that each can be asked where it is and none outlives us.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stepscope.agent.ranks import capture_name
from stepscope.session.process import AgentProcess, Tail
from stepscope.session.profiler_warnings import without_ours

_LONGEST_LINE = 64 * 1024


class RanksProcess(AgentProcess):
    """A running torchrun with its ranks. Rank and local rank are the same: it is one machine."""

    def __init__(
        self,
        python: str,
        config: dict[str, Any],
        arguments: Sequence[str],
        cwd: Path,
        on_output: Callable[[bytes], None],
        environment: Mapping[str, str],
        count: int,
        folder: Path,
    ) -> None:
        """Start it; captures go into ``folder``. Raises ``OSError``."""
        self.count = count
        self._seats = [_Seat(rank, on_output) for rank in range(count)]
        ranks = {
            "run_id": uuid.uuid4().hex[:16],
            "folder": str(folder),
            "seats": [seat.given for seat in self._seats],
        }
        given = [descriptor for seat in self._seats for descriptor in seat.given.values()]
        try:
            super().__init__(
                python, {**config, "ranks": ranks}, arguments, cwd, _keep_back, environment, given
            )
        except BaseException:
            for seat in self._seats:
                seat.close()
            raise
        finally:
            for descriptor in given:
                os.close(descriptor)
        for seat in self._seats:
            self._readers.append(self._spawn(seat.read, seat.out, False))
            self._readers.append(self._spawn(seat.read, seat.err, True))

    def ask_where(self) -> None:
        """Ask every rank where it is."""
        for seat in self._seats:
            seat.ask()

    def error_tail(self, rank: int | None = None) -> str:
        """The end of what a rank wrote to standard error; of what torchrun wrote, without one."""
        return super().error_tail() if rank is None else self._seats[rank].errors.text()

    def output_tail(self, rank: int | None = None) -> str:
        """The end of all that a rank, or torchrun, wrote."""
        return super().output_tail() if rank is None else self._seats[rank].all.text()

    def close(self, grace_s: float) -> None:
        """Wait ``grace_s`` for the ranks to finish by themselves, then end them all."""
        super().close(grace_s)
        for seat in self._seats:
            seat.close()


def _keep_back(_chunk: bytes) -> None:
    """Torchrun's own words: kept for a failure of its own; on its processes ours are clearer."""


class _Seat:
    """One rank's pipes: the ends that it is ``given``, and ours."""

    def __init__(self, rank: int, on_output: Callable[[bytes], None]) -> None:
        self.errors, self.all = Tail(), Tail()
        self._prefix = f"[rank {rank}] ".encode()
        self._on_output = on_output
        self.out, out = os.pipe()
        self.err, err = os.pipe()
        lifeline, self._lifeline = os.pipe()
        self.given = {"out": out, "err": err, "lifeline": lifeline}

    def ask(self) -> None:
        """Ask the rank where it is."""
        with contextlib.suppress(OSError):
            os.write(self._lifeline, b"w")

    def read(self, descriptor: int, is_errors: bool) -> None:
        """Pass on what comes, line by line, until the rank has closed its end."""
        lines = Lines(self._prefix)
        with open(descriptor, "rb", buffering=0) as pipe:
            while chunk := pipe.read(65536):
                if is_errors:
                    chunk = without_ours(chunk)
                    self.errors.add(chunk)
                self.all.add(chunk)
                if prefixed := lines.add(chunk):
                    self._on_output(prefixed)
        if rest := lines.rest():
            self._on_output(rest)

    def close(self) -> None:
        """Let the rank see that we are gone. The reading ends are closed by who reads them."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1


class Lines:
    """Puts a prefix before every line. What is not a whole line yet is kept back.

    Lines of several ranks come at once: they must not be mixed.
    """

    def __init__(self, prefix: bytes) -> None:
        self._prefix = prefix
        self._kept = b""

    def add(self, chunk: bytes) -> bytes:
        """The lines that ``chunk`` completes; a carriage return ends one, too."""
        text = self._kept + chunk
        end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
        if len(text) - end > _LONGEST_LINE:
            text, end = text + b"\n", len(text) + 1
        self._kept = text[end:]
        pieces = text[:end].splitlines(keepends=True)
        return b"".join(self._prefix + piece for piece in pieces)

    def rest(self) -> bytes:
        """What came last, without the end of a line."""
        return self._prefix + self._kept + b"\n" if self._kept else b""


def lowest_capture(folder: Path, count: int) -> Path | None:
    """The capture of the lowest rank that has written one."""
    paths = [folder / capture_name(rank) for rank in range(count)]
    return next((path for path in paths if path.exists()), None)
