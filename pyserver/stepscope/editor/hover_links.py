"""What a hover leads to: the report at this line, its figures as text, pages that explain."""

from __future__ import annotations

import json
from urllib.parse import quote

from stepscope.attribution.model import LineCost
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.pages import page
from stepscope.editor.protocol import CLIENT_COPY_FIGURES, CLIENT_OPEN_REPORT
from stepscope.editor.store import FileView
from stepscope.report.figures import line_figures

GUIDE = "reading-lines.md"


def links(server: StepscopeServer, uri: str, view: FileView, cost: LineCost) -> str:
    """One line of Markdown; ``""`` where there is nothing to lead to.

    Links that run a command are for clients that say that they can: to others they are dead.
    """
    found = []
    if server.client_runs(CLIENT_OPEN_REPORT):
        arguments: dict[str, object] = {"uri": uri, "line": cost.line}
        found.append(_command("Open report here", CLIENT_OPEN_REPORT, arguments))
    if server.client_runs(CLIENT_COPY_FIGURES):
        figures: dict[str, object] = {"text": line_figures(view.profile, cost)}
        found.append(_command("Copy", CLIENT_COPY_FIGURES, figures))
    found += [
        f"[Explain {name}]({href})"
        for name in _rules_on(server, view, cost.line)
        if (href := page(f"rules/{name}.md")) is not None
    ]
    guide = page(GUIDE)
    if guide is not None:
        found.append(f"[What these figures mean]({guide})")
    return " · ".join(found)


def _command(title: str, command: str, arguments: dict[str, object]) -> str:
    return f"[{title}](command:{command}?{quote(json.dumps([arguments]), safe='')})"


def _rules_on(server: StepscopeServer, view: FileView, line: int) -> list[str]:
    """Names of the rules that say something of the measured line, each once."""
    found = (
        hint.finding.rule
        for hint in server.wanted(view.hints)
        if hint.finding.line <= line <= max(hint.finding.line, hint.finding.end_line)
    )
    return list(dict.fromkeys(found))
