"""A new report: kept, shown on the lines of every file that is in it, and sent to the client."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from stepscope.editor import diagnostics, protocol
from stepscope.editor.language_server import StepscopeServer
from stepscope.report.model import Report
from stepscope.report.to_json import report_to_json


async def deliver(
    server: StepscopeServer, uri: str, report: Report, origin: str | None = None
) -> list[str]:
    """Show ``report``; the files on whose lines it is.

    ``uri`` is what was profiled or opened; ``origin`` the path of a recording (see the store).
    """
    before = server.store.paths()
    shown_in = server.store.add(report, origin)
    server.kept_reports.keep(report.profile.run.target if origin is None else origin, report)
    after = server.store.paths()
    diagnostics.publish(server, (before | after).values())
    shown = server.wanted(report.hints)
    # A report of thousands of lines takes a while, during which hovers are answered.
    written = await asyncio.to_thread(report_to_json, replace(report, hints=shown))
    server.protocol.notify(protocol.REPORT_NOTIFICATION, {"uri": uri, "report": written})
    server.refresh_views()
    return shown_in
