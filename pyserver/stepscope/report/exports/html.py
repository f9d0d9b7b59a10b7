"""The report as one page: its data, and the script and styles that draw it, in one file.

The page may be sent to anybody and holds names from anywhere, so nothing but our own script runs in
it and nothing is loaded: the policy in its head allows this script and these styles by their hash.
Its data is no script. In it every ``<``, ``>`` and ``&`` is written as JSON's own escape, so no
name can end the element that it stands in.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path, PurePath
from typing import TextIO

from stepscope.report.charts.build import build_charts
from stepscope.report.exports.analysed import Analysed
from stepscope.report.to_json import report_to_json

PAGE = Path(__file__).resolve().parent.parent / "page"
"""The built page: ``report.js`` and ``report.css``, made from ``extension/src/webview``."""

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="report"></div>
<noscript>This report is drawn by the script inside this file; allow it to run to see it.</noscript>
<script type="application/json" id="report-data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


class PageMissing(ValueError):
    """The page's script and styles are not where they belong: nobody built them."""


def check_page() -> None:
    """Raise ``PageMissing`` where no page could be written."""
    for name in ("report.js", "report.css"):
        if not (PAGE / name).is_file():
            raise PageMissing(
                f"the page that draws a report is not built ({PAGE / name} is missing); run "
                "`npm run bundle` in the clone, or start Stepscope with `npm run stepscope`"
            )


def write_html(analysed: Analysed, out: TextIO) -> None:
    """Write the page. Raises ``PageMissing``."""
    check_page()
    # Line ends as they are: the hash is over what the browser reads, which knows no \r.
    script = _inside("script", (PAGE / "report.js").read_text("utf-8"))
    style = _inside("style", (PAGE / "report.css").read_text("utf-8"))
    report = report_to_json(analysed.report) | {"charts": build_charts(analysed)}
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    name = PurePath(analysed.report.profile.run.target.replace("\\", "/")).name
    data = json.dumps(report, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)
    out.write(
        _PAGE.format(
            policy=html.escape(policy),
            title=html.escape(f"{name}: Stepscope" if name else "Stepscope"),
            style=style,
            data=data,
            script=script,
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _inside(element: str, text: str) -> str:
    """``text`` if it can stand in the element; else a damaged page would look like a whole one."""
    if re.search(rf"</{element}|<!--", text, re.IGNORECASE):
        raise PageMissing(f"the built page cannot stand inside a <{element}>; build it again")
    return text
