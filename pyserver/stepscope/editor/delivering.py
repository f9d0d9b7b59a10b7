"""A new report: kept, shown on the lines of every file that is in it, and sent to the client."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from lsprotocol import types

from stepscope.editor import protocol, publishing
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.trials import Outcome, describe_outcome
from stepscope.report.model import Report
from stepscope.report.to_json import report_to_json


@dataclass(frozen=True, slots=True)
class Delivered:
    """The files on whose lines a report is, and what it said of a fix, if one was being tried."""

    shown_in: list[str]
    outcome: Outcome | None


async def deliver(
    server: StepscopeServer, uri: str, report: Report, origin: str | None = None
) -> Delivered:
    """Show ``report``, and what it says of a fix that was being tried.

    ``uri`` is what was profiled or opened; ``origin`` the path of a recording (see the store).
    """
    outcome = server.trials.finish(report) if origin is None else None
    report = server.trials.attached(report)
    before = server.store.paths()
    shown_in = server.store.add(report, origin)
    server.kept_reports.keep(report.profile.run.target if origin is None else origin, report)
    after = server.store.paths()
    publishing.publish(server, (before | after).values())
    shown = server.wanted(report.hints)
    # A report of thousands of lines takes a while, during which hovers are answered.
    written = await asyncio.to_thread(report_to_json, replace(report, hints=shown))
    server.protocol.notify(protocol.REPORT_NOTIFICATION, {"uri": uri, "report": written})
    server.refresh_views()
    if outcome is not None:
        server.show(describe_outcome(outcome), types.MessageType.Info)
    return Delivered(shown_in, outcome)
