"""The cost of a line at its end: ``41 % · 12.3 ms · ↑ 96 MB``. Nothing where nothing is spent."""

from __future__ import annotations

from lsprotocol import types

from stepscope.attribution.model import LineCost, Profile
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.to_lsp import line_end, to_lines
from stepscope.report import display

# VS Code cuts a hint after 43 characters.
BEFORE_EDIT = " · before edit"
FUNCTION = "function: "
"""Before what stands on the line of a ``def`` and is not its own, but the whole function's."""


def register(server: StepscopeServer) -> None:
    """Offer inlay hints."""
    server.add_feature(types.TEXT_DOCUMENT_INLAY_HINT, inlay_hints)


def inlay_hints(server: StepscopeServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """A hint for each line of the requested range that costs."""
    path = server.path_of(params.text_document.uri)
    if path is None or not server.options.inlay_hints.enabled:
        return []
    view, text = server.store.view(path), server.text_of(path)
    if view is None or text is None:
        return []
    lines = view.lines(text)
    first, last = to_lines(params.range)
    hints: list[types.InlayHint] = []
    for place, cost in view.placed_lines(text):
        if not first <= place.line <= last:
            continue
        summary = display.summarize_line(view.profile, cost)
        if summary is None:
            continue
        hints.append(
            types.InlayHint(
                position=line_end(lines, place.line, server.encoding),
                label=_label(view.profile, cost, summary, changed=place.changed),
                tooltip=display.describe_function(view.profile, cost) or None,
                padding_left=True,
            )
        )
    return hints


def _label(profile: Profile, cost: LineCost, summary: display.LineSummary, *, changed: bool) -> str:
    function = FUNCTION if display.is_whole_function(profile, cost) else ""
    return function + summary.text + (BEFORE_EDIT if changed else "")
