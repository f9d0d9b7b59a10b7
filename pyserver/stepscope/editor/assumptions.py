"""What a run assumed about a model: shown above its class, and written into the file on a click."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types

from stepscope.attribution.model import Assumed
from stepscope.editor import protocol
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.lens import Lens
from stepscope.editor.to_lsp import line_start, to_position
from stepscope.report.source import split_lines

_COMMENT = re.compile(r"\s*#\s*stepscope:\s*(model|inputs)\s*=")
_RANDOM = re.compile(r"torch\.(?:randn|rand|randint|ones|zeros|full)\(")
_LONGEST = 100  # characters of a lens


def register(server: StepscopeServer) -> None:
    """Offer to write an assumption down."""

    async def edit(*arguments: Any) -> None:
        await _edit(server, protocol.parse_edit_assumption_params(arguments))

    server.command(protocol.COMMAND_EDIT_ASSUMPTION)(edit)


def assumed_lenses(server: StepscopeServer, path: str, text: str) -> list[Lens]:
    """The lens above the class that the last run made and called by itself, if it did."""
    found = _assumed_in(server, path, text)
    if found is None:
        return []
    assumed, line = found
    return [Lens(line, title(assumed), {}, protocol.COMMAND_EDIT_ASSUMPTION)]


def title(assumed: Assumed) -> str:
    """``Assumed: Net(3, 10), inputs (8, 3, 64, 64)``."""
    # The kind of random numbers is in the report; shapes are what one looks for here.
    inputs = _RANDOM.sub("(", assumed.inputs)
    whole = f"Assumed: {assumed.constructor}, inputs {inputs or 'none'}"
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"


def comment_lines(assumed: Assumed, indent: str) -> list[str]:
    """The comments that say the same in the file."""
    return [
        f"{indent}# stepscope: model={assumed.constructor}",
        f"{indent}# stepscope: inputs={assumed.inputs}",
    ]


def existing_comment(lines: list[str], line: int) -> int | None:
    """The first ``# stepscope:`` comment in the block right above ``line`` (1-based), if any."""
    above = line - 1
    first = None
    while above >= 1 and lines[above - 1].lstrip().startswith("#"):
        if _COMMENT.match(lines[above - 1]):
            first = above
        above -= 1
    return first


def _assumed_in(server: StepscopeServer, path: str, text: str) -> tuple[Assumed, int] | None:
    """The assumption about a class of this file, and where the class is now."""
    found = server.store.assumed_in(path)
    if found is None:
        return None
    assumed, source = found
    place = source.map_to(text).current(assumed.line)
    return None if place is None else (assumed, place.line)


async def _edit(server: StepscopeServer, uri: str) -> None:
    """Put the comments above the class, or go to those that are there."""
    path = server.path_of(uri)
    text = None if path is None else server.text_of(path)
    found = None if path is None or text is None else _assumed_in(server, path, text)
    if path is None or text is None or found is None:
        server.show("Profile the file first: then there is an assumption to edit.")
        return
    assumed, line = found
    lines = list(split_lines(text))
    there = existing_comment(lines, line)
    if there is None:
        indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
        added = comment_lines(assumed, indent)
        edit = types.TextEdit(line_start(line), "\n".join([*added, ""]))
        label = "Write down how the model is made and called"
        answer = await server.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(types.WorkspaceEdit(changes={uri: [edit]}), label)
        )
        if not answer.applied:
            server.show("The editor did not take the change; write the comments by hand.")
            return
        lines[line - 1 : line - 1] = added
        there = line
    _show(server, uri, lines, there)


def _show(server: StepscopeServer, uri: str, lines: list[str], line: int) -> None:
    """Select what stands behind the ``=`` of the comment, where the client can show it."""
    window = server.client_capabilities.window
    if not (window and window.show_document and window.show_document.support):
        return
    begin = lines[line - 1].index("=") + 1
    selection = types.Range(
        to_position(lines, line, begin, server.encoding),
        to_position(lines, line, len(lines[line - 1]), server.encoding),
    )
    server.window_show_document(
        types.ShowDocumentParams(uri=uri, take_focus=True, selection=selection), lambda _: None
    )
