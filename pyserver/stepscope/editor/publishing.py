"""What is sent unasked, Problems and heat: anew whenever a text or a report changes."""

from __future__ import annotations

from collections.abc import Collection

from lsprotocol import types

from stepscope.editor import diagnostics, heat
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.store import file_key


def register(server: StepscopeServer) -> None:
    """Keep what is shown on its lines while texts change."""
    server.add_feature(types.TEXT_DOCUMENT_DID_OPEN, _republish)
    server.add_feature(types.TEXT_DOCUMENT_DID_CHANGE, _republish)
    server.add_feature(types.TEXT_DOCUMENT_DID_CLOSE, _republish)


def publish(server: StepscopeServer, paths: Collection[str]) -> None:
    """Send what is now to be said of the files ``paths``; nothing takes away what was."""
    diagnostics.publish(server, paths)
    heat.publish(server, paths)


def _republish(
    server: StepscopeServer,
    params: types.DidOpenTextDocumentParams
    | types.DidChangeTextDocumentParams
    | types.DidCloseTextDocumentParams,
) -> None:
    path = server.path_of(params.text_document.uri)
    if path is not None and file_key(path) in server.store.paths():
        publish(server, [path])
