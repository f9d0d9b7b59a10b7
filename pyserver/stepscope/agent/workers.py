"""What a DataLoader's worker processes spend on the lines of datasets, transforms and collation.

While the recorded process is in its last pass, whose times nobody reads, its workers run each fetch
under the line clock and leave a file per batch. The recorded process gathers them when it writes
the capture. Otherwise a worker reads one shared number per batch.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import mmap
import os
import struct
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from .capture import Capture, Window, read_capture, write_capture
from .facts import code_table
from .family import in_loader_worker
from .lineclock import CodeTable, event_cost_ns, to_columns
from .passes import no_garbage_collection

if TYPE_CHECKING:
    from .main import Agent

_MAX_BATCHES = 8  # per worker
_MAX_EVENTS = 400_000  # per worker: no further batch is recorded after so many
_WAIT_S = 2.0  # for the first batch of workers that were in the middle of one
_QUIET_S = 0.2  # when no further batch came for so long, none is on its way
_NUMBER = struct.Struct("<q")


class Workers:
    """One process's view: of its own workers, or, in a worker, of itself."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._folder = agent.family.folder
        self._shared: mmap.mmap | None = None
        self._asked = False
        self._parent = 0  # in a worker: the process that reads the loader
        self._batches = 0
        self._events = 0
        self._event_ns: float | None = None

    def install(self) -> None:
        """Watch the fetches of torch's loaders in this process and the ones it forks."""
        self._shared = _share(os.path.join(self._folder, "asked"))
        module: Any = importlib.import_module("torch.utils.data._utils.fetch")
        for fetcher in (module._MapDatasetFetcher, module._IterableDatasetFetcher):
            fetcher.fetch = self._watched(fetcher.fetch)

    def become_child(self) -> None:
        """A forked child reads loaders of its own, or is a worker itself."""
        self._asked = False
        self._parent = 0

    def ask(self, wanted: bool) -> None:
        """Have the workers of this process record their lines, or stop it."""
        if self._shared is not None and wanted != self._asked:
            self._asked = wanted
            self._shared[: _NUMBER.size] = _NUMBER.pack(os.getpid() if wanted else 0)

    def _watched(self, original: Any) -> Any:
        @functools.wraps(original)
        def fetch(fetcher: Any, index: Any) -> Any:
            if not self._parent:
                self._parent = _reader() if in_loader_worker() else -1
            if self._parent < 0 or not self._is_asked():
                return original(fetcher, index)
            return self._record(original, fetcher, index)

        return fetch

    def _is_asked(self) -> bool:
        shared = self._shared
        if shared is None or self._batches >= _MAX_BATCHES or self._events >= _MAX_EVENTS:
            return False
        return bool(_NUMBER.unpack_from(shared)[0] == self._parent)

    def _record(self, original: Any, fetcher: Any, index: Any) -> Any:
        clock = self._agent.clock
        if self._event_ns is None:
            self._event_ns = event_cost_ns(clock, self._agent.config["wishes"]["root"])
        # Our own events would bring on a collection of everything that torch has imported, which in
        # a forked worker copies most of its memory: a second in the middle of some line.
        with no_garbage_collection():
            clock.start()
            clock.events.clear()  # a forked worker still has its parent's frames on its stack
            start = time.time_ns()
            try:
                batch = original(fetcher, index)
                end = time.time_ns()
            finally:
                clock.stop()
        try:
            self._keep(start, end)
        except Exception:
            self._agent.tell_fault()
        return batch

    def _keep(self, start: int, end: int) -> None:
        clock, codes = self._agent.clock, CodeTable()
        self._batches += 1
        self._events += len(clock.events)
        window = Window("worker", start, end, [start, end])
        window.tables["clock"] = to_columns(clock.events, codes)
        window.facts = {
            "event_ns": self._event_ns,
            "bounded": [[codes.number(code), since] for code, since in clock.bounded.items()],
            "thread": threading.get_native_id(),
            "process": os.getpid(),
        }
        name = f"worker-{os.getpid()}-{self._batches}"
        write_capture(
            os.path.join(self._folder, name), Capture({}, [], code_table(codes), [window], {})
        )

    def gather(self, codes: list[dict[str, Any]]) -> list[Window]:
        """What the workers recorded; their code is added to ``codes``."""
        if not self._asked:
            return []
        names = self._await_batches()
        self.ask(False)
        windows: list[Window] = []
        for name in names:
            capture = read_capture(os.path.join(self._folder, name))
            base = len(codes)
            codes.extend(capture.codes)
            for window in capture.windows:
                column = window.tables["clock"]["code"]
                for position, number in enumerate(column):
                    column[position] = base + number
                window.facts["bounded"] = [
                    [base + number, since] for number, since in window.facts["bounded"]
                ]
                windows.append(window)
        return windows

    def _await_batches(self) -> list[str]:
        """The files of batches that workers have finished, or finish shortly."""
        if not self._agent.loaders.have_workers():
            return self._written()  # of workers that are gone
        began = latest = time.monotonic()
        names = self._written()
        while (now := time.monotonic()) - began < _WAIT_S:
            found = self._written()
            if len(found) > len(names):
                names, latest = found, now
            elif names and now - latest > _QUIET_S:
                break
            time.sleep(0.01)
        return names

    def _written(self) -> list[str]:
        return sorted(
            name
            for name in os.listdir(self._folder)
            if name.startswith("worker-") and not name.endswith(".partial")
        )


def _share(path: str) -> mmap.mmap | None:
    """A number that all processes of the target see, None where the system has no such file."""
    with contextlib.suppress(OSError, ValueError):
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            if os.fstat(file).st_size < _NUMBER.size:
                os.ftruncate(file, _NUMBER.size)
            return mmap.mmap(file, _NUMBER.size)
        finally:
            os.close(file)
    return None


def _reader() -> int:
    """The process that reads this worker's loader: its parent, also where a server forked it."""
    process: Any = sys.modules["multiprocessing.process"]
    parent = process.parent_process()
    return -1 if parent is None else int(parent.pid)
