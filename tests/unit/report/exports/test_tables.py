"""CSV: what Python's own reader gets back, and what a spreadsheet must not execute."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections import defaultdict
from typing import Any

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.attribution.lines import build_lines
from stepscope.report.exports.analysed import Analysed
from stepscope.report.exports.tables import (
    LINE_COLUMNS,
    OPERATOR_COLUMNS,
    write_lines,
    write_operators,
)
from stepscope.report.model import Report
from tests import factories as make
from tests.timelines import BACKWARD_THREAD, FILE, Tape, recording_of


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def lines_of(report: Report) -> list[dict[str, str]]:
    out = io.StringIO()
    write_lines(report, out)
    return read(out.getvalue())


def test_a_row_for_each_line_and_one_for_the_rest() -> None:
    report = make.report()
    rows = lines_of(report)
    assert tuple(rows[0]) == LINE_COLUMNS
    for row, line in zip(rows, report.profile.lines, strict=False):
        assert (row["file"], row["line"]) == (line.file, str(line.line))
        assert float(row["cost_ms"]) == line.cost_ms
    assert len(rows) == len(report.profile.lines) + 1
    assert (rows[-1]["file"], rows[-1]["line"]) == ("", "")
    assert float(rows[-1]["cost_ms"]) == report.profile.unattributed.cost_ms
    total = sum(float(row["cost_ms"]) for row in rows)
    assert total == pytest.approx(report.profile.step_ms.median)


def test_not_measured_is_empty_and_zero_is_zero() -> None:
    (row, _) = lines_of(make.report([make.line(11, launches=None, device_idle_ms=0.0)]))
    assert row["launches"] == ""
    assert row["device_idle_ms"] == "0.0"
    assert row["parameter_bytes"] == row["wait_data_ms"] == ""
    assert row["exact"] == "true"
    (row, _) = lines_of(make.memory_only())
    assert row["cost_ms"] == row["calls"] == ""
    assert row["live_at_peak_bytes"] == "96000000"


def test_it_is_rfc_4180() -> None:
    name = 'a "quoted", name\nof two lines'
    out = io.StringIO()
    write_lines(make.report([make.line(11, function=name)]), out)
    text = out.getvalue()
    assert text.startswith("file,line,function,")
    assert '"a ""quoted"", name\nof two lines"' in text
    assert text.replace(name.replace('"', '""'), "").count("\n") == text.count("\r\n") == 3
    assert read(text)[0]["function"] == name


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=cmd|' /C calc'!A0"]
)
def test_text_is_no_formula(name: str) -> None:
    line = make.line(11, function=name, file=name)
    report = make.report([line], sources={name: "\n" * 10 + "-x if y else z\n"})
    (row, _) = lines_of(report)
    assert row["function"] == row["file"] == f"'{name}"
    assert row["code"] == "'-x if y else z"


def test_numbers_stay_numbers() -> None:
    (row, _) = lines_of(make.report([make.line(11, headroom_ms=-0.5)]))
    assert row["headroom_ms"] == "-0.5"


@pytest.mark.parametrize("name", ["</script>\"'", "\x1b[31m", "\udcff", "日本"])
def test_hostile_names_are_data(name: str) -> None:
    (row, _) = lines_of(make.report([make.line(11, function=name)]))
    assert row["function"] == name


def _operators(tape: Tape) -> tuple[list[dict[str, str]], dict[Any, float]]:
    """The table, and the work of each line by the report's own ledger."""
    timeline = tape.timeline()
    attributed = attribute(timeline)
    out = io.StringIO()
    write_operators(Analysed(make.report(), attributed), out)
    lines, rest = build_lines(attributed.ledgers, recording_of(timeline))
    work: dict[Any, float] = {str(line.line): line.work_ms for line in lines}
    return read(out.getvalue()), work | {"": rest.work_ms}


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_operators_add_up_to_the_work_of_their_lines(device: str) -> None:
    tape = Tape(0, 10_000_000, device=device)
    tape.line(0, 1)
    tape.line(6_000_000, 2)
    for number in range(9):  # more than a line of the report shows
        begin = number * 500_000
        op = tape.op(f"aten::op{number}", begin, begin + 300_000, sequence=number)
        if device != "cpu":
            tape.launched(op, (begin + 10, begin + 20), (begin + 100, begin + 200_000))
    tape.node("Op3Backward0", 7_000_000, 8_000_000, 3, thread=BACKWARD_THREAD)
    rows, work = _operators(tape)
    sums: dict[str, float] = defaultdict(float)
    for row in rows:
        sums[row["line"]] += float(row["work_ms"])
    assert {line: ms for line, ms in work.items() if ms} == pytest.approx(dict(sums))
    assert tuple(rows[0]) == OPERATOR_COLUMNS
    assert {row["file"] for row in rows} == {FILE}
    assert len({row["name"] for row in rows}) >= 9
    weights = [float(row["work_ms"]) for row in rows]
    assert weights == sorted(weights, reverse=True)
    if device == "cpu":
        assert {row["pass"] for row in rows} == {"forward", "backward"}


def test_without_events_the_table_of_operators_is_empty() -> None:
    out = io.StringIO()
    write_operators(Analysed(make.memory_only(), None), out)
    assert read(out.getvalue()) == []
    assert out.getvalue().startswith("file,line,")


def test_every_field_of_a_line_has_a_column() -> None:
    from stepscope.attribution.model import LineCost

    elsewhere = {"wait_ms", "categories", "ops", "fused_with"}
    fields = {field.name for field in dataclasses.fields(LineCost)} - elsewhere
    assert fields <= set(LINE_COLUMNS)
