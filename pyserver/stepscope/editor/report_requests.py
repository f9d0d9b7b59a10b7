"""The command that asks for a whole report, with what its pictures are drawn from."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

from stepscope.editor import protocol
from stepscope.editor.kept_reports import KeptReport
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.written_answers import Written
from stepscope.report.model import Report
from stepscope.report.to_json import report_to_json

logger = logging.getLogger("stepscope")


def register(server: StepscopeServer) -> None:
    """Offer the command."""

    async def get_report(*arguments: Any) -> Written | None:
        uri = protocol.parse_get_report_params(arguments)
        path = None if uri is None else server.path_of(uri)
        kept = None if path is None else server.kept_reports.about(path)
        if kept is None:
            return None
        shown = replace(kept.report, hints=server.wanted(kept.report.hints))
        return await asyncio.to_thread(_written, kept, shown)

    server.command(protocol.COMMAND_GET_REPORT)(get_report)


def _written(kept: KeptReport, shown: Report) -> Written:
    report = json.dumps(report_to_json(shown))
    return Written(f'{report[:-1]}, "charts": {kept.charts()}}}')
