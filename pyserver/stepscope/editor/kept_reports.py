"""Whole reports, to be asked for again: the latest of each target and recording, with its charts.

The events behind a report take a hundred times the memory of its charts, and making those takes a
part of the time that the report took. So nothing is made before somebody opens a report: the events
of the latest one wait for that, and those of an earlier one become charts soon after the next has
arrived: not at once, when the next one's lines are drawn.
"""

from __future__ import annotations

import json
import logging
import threading
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepscope.editor.store import file_key
from stepscope.report.model import Report

if TYPE_CHECKING:
    from stepscope.report.exports.analysed import Analysed

logger = logging.getLogger("stepscope")

MOST = 20
"""Reports that are kept; the oldest goes first."""

SOON_S = 5.0


@dataclass(slots=True)
class KeptReport:
    """A report and what its charts are made from, until they are made."""

    report: Report
    _analysed: Analysed | None
    _charts: bytes | None = None  # packed JSON
    _making: threading.Lock = field(default_factory=threading.Lock)

    def charts(self) -> str:
        """The charts as JSON, ``null`` where there are none. Blocks: not for the event loop."""
        with self._making:
            if self._charts is None:
                self._charts = zlib.compress(self._made().encode(), 1)
                self._analysed = None
            return zlib.decompress(self._charts).decode()

    def _made(self) -> str:
        # Late: `initialize` is answered before the stages are loaded.
        from stepscope.report.charts.build import build_charts

        if self._analysed is None:
            return "null"
        try:
            return json.dumps(build_charts(self._analysed), separators=(",", ":"))
        except Exception:
            # A report is worth showing without its pictures.
            logger.exception("the charts could not be made")
            return "null"


class KeptReports:
    """The reports by what they are about. For the event loop unless a method says otherwise."""

    def __init__(self) -> None:
        self._kept: dict[str, KeptReport] = {}  # path that was profiled or opened, oldest first
        self._heard: Analysed | None = None

    def hear(self, analysed: Analysed) -> None:
        """The events behind the report that comes next. Any thread."""
        self._heard = analysed

    def keep(self, path: str, report: Report) -> None:
        """Keep ``report``, of what was profiled or opened at ``path``."""
        heard, self._heard = self._heard, None
        latest = next(reversed(self._kept.values()), None)
        key = file_key(path)
        replaced = self._kept.pop(key, None)
        # What a fix saved may have been added to the report meanwhile; its measurement is the same.
        is_its = heard is not None and heard.report.profile is report.profile
        self._kept[key] = KeptReport(report, heard if is_its else None)
        if len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]
        if latest is not None and latest is not replaced:
            later = threading.Timer(SOON_S, latest.charts)
            later.daemon = True
            later.start()

    def about(self, path: str) -> KeptReport | None:
        """The report of the file itself, else the latest one that has a line of it."""
        key = file_key(path)
        if key in self._kept:
            return self._kept[key]
        return next(
            (
                kept
                for kept in reversed(self._kept.values())
                if any(
                    file_key(file) == key
                    for file in {line.file for line in kept.report.profile.lines}
                )
            ),
            None,
        )

    def clear(self, path: str | None) -> None:
        """Forget the reports about a file; None: all of them."""
        if path is None:
            self._kept.clear()
            return
        while (kept := self.about(path)) is not None:
            self._kept = {key: one for key, one in self._kept.items() if one is not kept}
