"""How hot the lines of a file are, for clients that draw marks beside them.

Sent, not asked for: a mark has to move with its line, and to fade when the line is edited, while
the person types. Which lines are hot is decided here; a client only draws.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from stepscope import format as fmt
from stepscope.editor import protocol
from stepscope.editor.language_server import StepscopeServer
from stepscope.report import display

LEVELS = (display.SHOWN_SHARE, 0.05, 0.20)
"""The share of the step from which on a line has level 1, 2 and 3: it shows at all, it is one of a
handful, it is one of the few that decide. Few levels, since each has to look different without its
colour."""


class HotLine(TypedDict):
    """A line (1-based), how hot it is (1 to 3), its share in words; ``stale``: edited since."""

    line: int
    level: int
    share: str
    stale: bool


def publish(server: StepscopeServer, paths: Iterable[str]) -> None:
    """Send the hot lines of the files ``paths`` to a client that draws them.

    An empty list takes old marks away.
    """
    if not server.client_supports("heat"):
        return
    for path in paths:
        document = server.open_document(path)
        server.protocol.notify(
            protocol.HEAT_NOTIFICATION,
            {
                "uri": server.uri_of(path),
                "version": None if document is None else document.version,
                "lines": hot_lines(server, path),
            },
        )


def hot_lines(server: StepscopeServer, path: str) -> list[HotLine]:
    """The hot lines of the file as it is now, in its order."""
    view, text = server.store.view(path), server.text_of(path)
    if view is None or text is None or not view.profile.timed or not server.options.heat.enabled:
        return []
    found: list[HotLine] = []
    for place, cost in view.placed_lines(text):
        share = display.step_share(view.profile, cost.cost_ms)
        level = level_of(share)
        if level:
            found.append(
                {
                    "line": place.line,
                    "level": level,
                    "share": fmt.share(share),
                    "stale": place.changed,
                }
            )
    return found


def level_of(share: float) -> int:
    """0 (not hot) to 3 for a share of the step."""
    return sum(share >= least for least in LEVELS)
