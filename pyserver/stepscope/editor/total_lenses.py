"""Lenses with totals above functions, classes and loops, and with the step at the file's top."""

from __future__ import annotations

from functools import lru_cache

from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.lens import Lens
from stepscope.editor.protocol import CLIENT_OPEN_REPORT
from stepscope.editor.store import FileView, file_key
from stepscope.editor.text import parse
from stepscope.editor.totals import Total, step_title, title, totals, was_edited


def total_lenses(server: StepscopeServer, path: str, text: str) -> list[Lens]:
    """The lenses of the file as it is now. A click opens the report, where the client has one."""
    view = server.store.view(path)
    if view is None or not view.profile.timed or not server.options.code_lens.totals:
        return []
    # A lens without a command is plain text.
    command = CLIENT_OPEN_REPORT if server.client_runs(CLIENT_OPEN_REPORT) else ""
    line_map = view.source.map_to(text)
    lenses: list[Lens] = []
    if file_key(view.profile.run.target) == file_key(path):
        step = step_title(view.profile, stale=not line_map.is_identical)
        if step is not None:
            lenses.append(Lens(1, step, {}, command))
    for total in _totals_of(view):
        place = line_map.current(total.first)
        said = title(view.profile, total, stale=was_edited(line_map, total))
        if place is not None and said is not None:
            # The report is opened at the line as it was measured.
            lenses.append(Lens(place.line, said, {"line": total.header}, command))
    return lenses


@lru_cache(maxsize=32)
def _totals_of(view: FileView) -> tuple[Total, ...]:
    """Summed once for each report: what was measured does not change."""
    tree = parse(view.source.text)
    return () if tree is None else tuple(totals(tree, view.costs))
