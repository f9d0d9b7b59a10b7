"""Fixes as edits of the protocol."""

from __future__ import annotations

from lsprotocol import types

from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.to_lsp import to_text_edit
from stepscope.fixes.model import Fix
from stepscope.report.source import split_lines

_ANNOTATION = "stepscope.fix"


def workspace_edit(server: StepscopeServer, fix: Fix) -> types.WorkspaceEdit:
    """The edit, made at once."""
    return types.WorkspaceEdit(changes=_text_edits(server, fix))


def preview_edit(server: StepscopeServer, fix: Fix) -> types.WorkspaceEdit | None:
    """The edit, shown before it is made; None for a client that cannot show one."""
    workspace = server.client_capabilities.workspace
    able = workspace.workspace_edit if workspace else None
    if not (able and able.document_changes and able.change_annotation_support):
        return None
    changes = []
    for uri, edits in _text_edits(server, fix).items():
        path = server.path_of(uri)
        document = None if path is None else server.open_document(path)
        changes.append(
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(
                    uri, None if document is None else document.version
                ),
                [types.AnnotatedTextEdit(_ANNOTATION, edit.range, edit.new_text) for edit in edits],
            )
        )
    annotation = types.ChangeAnnotation(fix.title, needs_confirmation=True)
    return types.WorkspaceEdit(
        document_changes=list(changes), change_annotations={_ANNOTATION: annotation}
    )


def _text_edits(server: StepscopeServer, fix: Fix) -> dict[str, list[types.TextEdit]]:
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in fix.edits:
        lines = split_lines(server.text_of(edit.file) or "")
        changes.setdefault(server.uri_of(edit.file), []).append(
            to_text_edit(lines, edit, server.encoding)
        )
    return changes
