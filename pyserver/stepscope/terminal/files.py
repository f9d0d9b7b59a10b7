"""What the run did to files, once its last process has ended."""

from __future__ import annotations

import threading

from stepscope.report.files import describe_changed, describe_files, describe_removed
from stepscope.session.keeping import remove_new_files
from stepscope.session.model import ENDING, FilesAfter

_LOOK_S = 0.5


class FilesReport:
    """Takes the news from the session's thread; says it on the main one."""

    def __init__(self, target: str, *, remove: bool) -> None:
        self._target = target
        self._remove = remove
        self._files: FilesAfter | None = None
        self._known = threading.Event()
        self.faults: list[str] = []  # of the sentences those that even a quiet run says

    def hear(self, files: FilesAfter) -> None:
        """The run's last process has ended. Any thread."""
        self._files = files
        self._known.set()

    @property
    def known(self) -> bool:
        """Whether the run has got so far that there is something to know, and it has ended."""
        return self._known.is_set()

    def sentences(self) -> list[str]:
        """Wait for the end of the run; remove what was to be removed; say what there is to say."""
        while not self._known.wait(_LOOK_S):
            if not any(thread.name == ENDING for thread in threading.enumerate()):
                break
        files = self._files
        if files is None:  # the end of the run went wrong, and has said how
            return []
        said = [describe_files(files)]
        if self._remove and files.created:
            said.append(describe_removed(*remove_new_files(files.created, files.folders)))
        fault = describe_changed(files, self._target)
        if fault is not None:
            self.faults.append(fault)
            said.append(fault)
        return [sentence for sentence in said if sentence is not None]
