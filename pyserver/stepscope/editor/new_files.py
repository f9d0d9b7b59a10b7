"""What a run did to files: said when its last process has ended; new ones go on request."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stepscope.editor import protocol
from stepscope.editor.questions import ask, in_background
from stepscope.editor.store import file_key
from stepscope.report.files import describe_changed, describe_files, describe_removed
from stepscope.session.keeping import remove_new_files
from stepscope.session.model import FilesAfter, NewFile

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer

logger = logging.getLogger("stepscope")

REMOVE = "Remove the new files"


class NewFiles:
    """The new files of all runs so far, and what the person saved while one was going."""

    def __init__(self) -> None:
        self._files: dict[str, NewFile] = {}
        self._folders: set[str] = set()
        self._saved: set[str] = set()

    def begin(self) -> None:
        """A run begins."""
        self._saved.clear()

    def saved(self, path: str) -> None:
        """The person saved a file: whatever changed in it is theirs."""
        self._saved.add(file_key(path))

    def without_saved(self, files: FilesAfter) -> FilesAfter:
        """The same, less what the person saved meanwhile."""
        changed = tuple(path for path in files.changed if file_key(path) not in self._saved)
        return replace(files, changed=changed)

    def add(self, files: FilesAfter) -> None:
        """Remember what may be removed."""
        self._files.update((new.path, new) for new in files.created)
        self._folders.update(files.folders)

    def take(self) -> tuple[list[NewFile], list[str]]:
        """What may be removed, files and folders; it is forgotten with that."""
        taken = list(self._files.values()), list(self._folders)
        self._files.clear()
        self._folders.clear()
        return taken


def register(server: StepscopeServer) -> None:
    """Offer the command; listen to what is saved."""

    def remove(*_: Any) -> dict[str, list[str]]:
        return _remove(server)

    def saved(server: StepscopeServer, params: types.DidSaveTextDocumentParams) -> None:
        path = server.path_of(params.text_document.uri)
        if path is not None:
            server.new_files.saved(path)

    server.command(protocol.COMMAND_REMOVE_NEW_FILES)(remove)
    server.add_feature(types.TEXT_DOCUMENT_DID_SAVE, saved)


def hear(server: StepscopeServer, target: str, heard: FilesAfter) -> None:
    """A run's last process has ended. On the event loop."""
    files = server.new_files.without_saved(heard)
    server.new_files.add(files)
    sentence = describe_files(files)
    if sentence is not None:
        server.log(f"{target}: {sentence}")
    for path in files.kept:
        logger.info("kept: %s", path)
    for new in files.created:
        logger.info("new: %s", new.path)
    changed = describe_changed(files, target)
    if changed is not None:
        server.show(changed, types.MessageType.Warning)
    if files.created and sentence is not None:
        in_background(_offer(server, f"{target}: {sentence}"))


async def _offer(server: StepscopeServer, message: str) -> None:
    if await ask(server, types.MessageType.Info, message, [REMOVE]) == REMOVE:
        _remove(server)


def _remove(server: StepscopeServer) -> dict[str, list[str]]:
    removed, left = remove_new_files(*server.new_files.take())
    server.log(describe_removed(removed, left))
    if left:
        server.show(describe_removed(removed, left), types.MessageType.Info)
    return {"removed": removed, "left": left}
