"""The cost of a line at its end: ``41 % · 12.3 ms · ↑ 96 MB``. Nothing where nothing is spent."""

from __future__ import annotations

from lsprotocol import types

from stepscope.editor.hint_labels import aligned, label_of
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.to_lsp import line_end, to_lines
from stepscope.report import display


def register(server: StepscopeServer) -> None:
    """Offer inlay hints."""
    server.add_feature(types.TEXT_DOCUMENT_INLAY_HINT, inlay_hints)


def inlay_hints(server: StepscopeServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """A hint for each line of the requested range that costs."""
    path = server.path_of(params.text_document.uri)
    precision = server.options.inlay_hints.precision
    if path is None or precision == "off":
        return []
    view, text = server.store.view(path), server.text_of(path)
    if view is None or text is None:
        return []
    lines = view.lines(text)
    first, last = to_lines(params.range)
    placed = view.placed_lines(text)
    # All of the file: how a hint is padded must not depend on what is on the screen.
    labels = aligned(
        label_of(view.profile, cost, place, lines[place.line - 1], precision)
        for place, cost in placed
    )
    return [
        types.InlayHint(
            position=line_end(lines, place.line, server.encoding),
            label=labels[place.line],
            tooltip=display.describe_function(view.profile, cost) or None,
            padding_left=True,
        )
        for place, cost in placed
        if first <= place.line <= last and place.line in labels
    ]
