"""The target's processes: which one of them is recorded, and how many train.

At most one process is recorded: the first that makes steps. It says so with a file that only one
process can create. Everything lies in one folder beside the capture, which goes with it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys

MAIN = "main"


class Family:
    """The target's processes as one of them sees them. ``words`` names this process."""

    def __init__(self, capture: str) -> None:
        self._capture = capture
        self.folder = capture + ".processes"
        self.words = MAIN
        self.mine = False  # this process is the recorded one
        self.other = False  # another process is

    @property
    def is_main(self) -> bool:
        """Whether this is the process that the session started."""
        return self.words == MAIN

    def begin(self) -> None:
        """In the main process, before the target runs: nobody is recorded yet."""
        self.remove()
        os.mkdir(self.folder)

    def remove(self) -> None:
        """Take the folder away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def become_child(self, words: str) -> None:
        """This is a child now. What its parent had claimed is not the child's."""
        self.words = words
        self.other = self.other or self.mine
        self.mine = False

    def claim(self) -> bool:
        """Become the recorded process, if there is none. Worker processes of a loader never are."""
        if self.mine:
            return True
        if self.other or in_loader_worker():
            self.other = True
            return False
        self._append("trained", f"{os.getpid()} {self.words}\n")
        try:
            claimed = os.open(self._path("recorded"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            self.other = True
            return False
        os.close(claimed)
        self.mine = True
        return True

    def release(self) -> None:
        """The recorded process ends before it had its steps: another one may be recorded."""
        if self.mine:
            self.mine = False
            with contextlib.suppress(OSError):
                os.unlink(self._path("recorded"))

    def captured(self) -> bool:
        """Whether some process has written the capture."""
        return os.path.exists(self._capture)

    def notes(self) -> list[str]:
        """What the reader must know of the processes; nothing if the main one trained alone."""
        with open(self._path("trained"), encoding="utf-8") as lines:
            trained = len({line.split()[0] for line in lines})
        if self.is_main and trained == 1:
            return []
        if trained == 1:
            return [f"The steps were made by a child process: {self.words}."]
        which = "the main process" if self.is_main else self.words
        return [
            f"{trained} processes trained; this report shows the first of them: {which}. "
            "The others were not measured."
        ]

    def _append(self, name: str, text: str) -> None:
        # One write to a file opened for appending: processes do not overwrite each other's lines.
        file = os.open(self._path(name), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        try:
            os.write(file, text.encode("utf-8", "replace"))
        finally:
            os.close(file)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)


def in_loader_worker() -> bool:
    """Whether this process is a DataLoader's worker."""
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return worker is not None and getattr(worker, "_worker_info", None) is not None
