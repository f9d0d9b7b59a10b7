"""Lines and operators as CSV (RFC 4180): UTF-8, a header, CRLF, empty where not measured.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break for a
formula, and file and function names are anybody's. Such text gets an apostrophe in front.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from stepscope.report.exports.analysed import Analysed
from stepscope.report.model import Report
from stepscope.report.source import split_lines
from stepscope.report.to_json import report_to_json
from stepscope.timeline.model import NOWHERE

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_PLACE = ("file", "line", "function")
_NUMBERS = (
    "calls", "cost_ms", "host_ms", "work_ms", "forward_ms", "backward_ms", "device_idle_ms",
    "allocated_bytes", "live_at_peak_bytes", "flops", "bytes_moved", "launches", "regime",
    "headroom_ms", "worker_ms", "worker_calls", "exact",
)  # fmt: skip
_WAITS = ("data", "sync", "copy", "communication")
_CATEGORIES = ("parameter", "gradient", "optimizer", "activation", "input", "temporary")

LINE_COLUMNS = (
    *_PLACE, *_NUMBERS, *(f"wait_{name}_ms" for name in _WAITS),
    *(f"{name}_bytes" for name in _CATEGORIES), "code",
)  # fmt: skip
OPERATOR_COLUMNS = (*_PLACE, "name", "pass", "calls", "work_ms", "shapes", "dtypes")


def write_lines(report: Report, out: TextIO) -> None:
    """One row per line, then one for what has no line, in which file and line are empty.

    ``out`` must not translate line ends.
    """
    writer = csv.writer(out)
    writer.writerow(LINE_COLUMNS)
    written = report_to_json(report)
    sources = {file: split_lines(text) for file, text in report.profile.sources.items()}
    for line in written["lines"]:
        code = sources.get(line["file"], [])
        at = line["line"]
        writer.writerow(
            [
                *(_cell(line[name]) for name in (*_PLACE, *_NUMBERS)),
                *(_cell(line["wait_ms"][name]) for name in _WAITS),
                *(_cell((line["categories"] or {}).get(name)) for name in _CATEGORIES),
                _cell(code[at - 1].strip() if at <= len(code) else None),
            ]
        )
    rest: Mapping[str, Any] = written["unattributed"]
    writer.writerow([_cell(rest.get(name)) for name in LINE_COLUMNS])


def write_operators(analysed: Analysed, out: TextIO) -> None:
    """One row per operator, line and pass: all of them, the most expensive first."""
    writer = csv.writer(out)
    writer.writerow(OPERATOR_COLUMNS)
    for row in sorted(_operators(analysed), key=lambda row: -row[6]):
        writer.writerow([_cell(value) for value in row])


def _operators(analysed: Analysed) -> Iterator[tuple[Any, ...]]:
    if analysed.attributed is None:
        return
    ledgers = analysed.attributed.ledgers
    places, strings = ledgers.timeline.places, ledgers.timeline.strings
    work = dict(ledgers.work_by_key())
    if ledgers.device is None:  # beside the step's thread: work, but no part of its time
        for key, ms in ledgers.other_work.items():
            work[key] = work.get(key, 0.0) + ms
    for key, ms in work.items():
        owner, name, backward = key
        file, line, function = None, None, None
        if owner != NOWHERE:
            place = places[owner]
            file, line, function = place.file, place.line, place.function
        shapes, dtypes = ledgers.efforts.shapes.get(key, (None, None))
        which = "backward" if backward else "forward"
        calls = ledgers.counts.get(key)
        yield file, line, function, strings[name], which, calls, ms, shapes, dtypes


def _cell(value: Any) -> Any:
    """None is an empty cell, a truth value is ``true`` or ``false``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
