"""Colours and glyphs. Every distinction is also made without colour: by a glyph or by a word."""

from __future__ import annotations

from rich.theme import Theme

from stepscope.diagnosis.finding import Severity

# The terminal's own palette, so that the output fits light and dark backgrounds.
THEME = Theme(
    {
        "title": "bold",
        "rule": "bright_black",
        "quiet": "bright_black",
        "hot": "bold red",
        "warm": "yellow",
        "mild": "green",
        "memory": "cyan",
        "warning": "bold yellow",
        "information": "bold blue",
        "hint": "bold green",
        "added": "green",
        "removed": "red",
        "compute": "green",
        "memory_traffic": "cyan",
        "overhead": "yellow",
        "data": "red",
        "copy": "magenta",
        "sync": "bright_red",
        "communication": "blue",
        "idle": "bright_black",
        "other": "white",
    }
)

BREAKDOWN = {
    "compute": ("█", "compute"),
    "memory": ("▓", "memory_traffic"),
    "overhead": ("▒", "overhead"),
    "data": ("░", "data"),
    "copy": ("╱", "copy"),
    "sync": ("╳", "sync"),
    "communication": ("┼", "communication"),
    "idle": ("·", "idle"),
    "other": ("─", "other"),
}
"""Glyph and style of each part of the breakdown."""

SEVERITY_GLYPHS = {Severity.WARNING: "▲", Severity.INFORMATION: "●", Severity.HINT: "○"}

HOT_SHARE, WARM_SHARE = 0.2, 0.05


def heat(share: float) -> str:
    """The style of a share of the step."""
    if share >= HOT_SHARE:
        return "hot"
    return "warm" if share >= WARM_SHARE else "mild"


def heat_glyph(share: float) -> str:
    """A bar that grows with the share, so that the eye finds the hot lines."""
    if share >= HOT_SHARE:
        return "█"
    return "▌" if share >= WARM_SHARE else "▏"
