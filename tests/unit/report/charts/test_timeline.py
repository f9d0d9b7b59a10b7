"""The shown step holds what was recorded in it, cut at its edges, with who launched what."""

from __future__ import annotations

import dataclasses
from typing import Any

import jsonschema
import pytest

from stepscope.analysis import analyse_timeline
from stepscope.report.charts import timeline as chart
from stepscope.report.charts.build import build_charts
from stepscope.report.charts.model import Lane
from stepscope.report.model import Hint
from stepscope.report.schema import load_schema
from stepscope.report.to_json import report_to_json
from tests import factories as make
from tests.timelines import BACKWARD_THREAD, FILE, STEP_THREAD, Tape

US = 1000

HOSTILE = ("</script>\"'<b>", "\x1b[31mred", "\udcff", "line\nbreak\t\x00", "日本")


def steps_of(*lengths: int, device: str = "cpu") -> Tape:
    """Steps of these lengths, us; line 11 runs, calls ``helper`` for its middle third."""
    edges = [0]
    for length in lengths:
        edges.append(edges[-1] + length * US)
    tape = Tape(*edges, device=device)
    for begin, length in zip(edges, lengths, strict=False):
        third = length * US // 3
        tape.line(begin, 11)
        tape.enter(begin + third, "helper")
        tape.line(begin + third, 50, "helper")
        tape.leave(begin + 2 * third, "helper")
    return tape


def timeline_of(tape: Tape) -> dict[str, Any]:
    analysed = analyse_timeline(tape.timeline())
    charts = build_charts(analysed)
    report = report_to_json(analysed.report) | {"charts": charts}
    jsonschema.validate(report, load_schema())
    assert charts is not None
    found: dict[str, Any] = charts["timeline"] | {
        "names": charts["names"],
        "places": charts["places"],
    }
    return found


def spans(found: dict[str, Any], kind: str, row: int = 0) -> list[tuple[Any, ...]]:
    """(name, start, duration, depth) of the ``row``-th lane of a kind."""
    lane = [lane for lane in found["lanes"] if lane["kind"] == kind][row]
    columns = (lane["start_us"], lane["duration_us"], lane["depth"])
    names = [found["names"][name] for name in lane["name"]]
    return list(zip(names, *columns, strict=True))


def test_the_step_nearest_the_median_is_shown() -> None:
    found = timeline_of(steps_of(300, 306, 330))
    assert (found["step_us"], found["of_steps"], found["dropped"]) == (306, 3, 0)
    assert found["tax"] == pytest.approx(1.0)


def test_lines_stand_below_the_lines_that_called_them() -> None:
    found = timeline_of(steps_of(300, 300, 300))
    assert spans(found, "lines") == [
        ("train.py:11 main", 0, 300, 0),
        ("train.py:50 helper", 100, 100, 1),
    ]
    (lane,) = [lane for lane in found["lanes"] if lane["kind"] == "lines"]
    places = [found["places"][place] for place in lane["place"]]
    assert places[1] == {"file": FILE, "line": 50, "function": "helper"}
    assert (lane["thread"], lane["title"]) == (STEP_THREAD, "Lines, the step's thread")


def test_what_crosses_an_edge_is_cut_there() -> None:
    tape = steps_of(300, 300)
    tape.op("aten::early", 0, 10 * US)
    tape.op("aten::late", 280 * US, 350 * US)
    assert spans(timeline_of(tape), "host") == [
        ("aten::early", 0, 10, 0),
        ("aten::late", 280, 20, 0),
    ]


def test_the_device_has_lanes_of_its_own_that_lead_to_what_launched() -> None:
    tape = steps_of(300, 300, device="cuda:0")
    for begin in (0, 300 * US):
        above = tape.op("aten::mm", begin + 10 * US, begin + 40 * US)
        tape.launched(
            above,
            (begin + 20 * US, begin + 25 * US),
            (begin + 30 * US, begin + 90 * US),
            name="gemm",
        )
        tape.launched(
            above, (begin + 26 * US, begin + 27 * US), (begin + 91 * US, begin + 99 * US),
            name="Memcpy HtoD", kind="memcpy", api="cudaMemcpyAsync",
        )  # fmt: skip
        tape.launched(
            None, (begin + 50 * US, begin + 51 * US), (begin + 60 * US, begin + 80 * US),
            name="ncclKernel_AllReduce", stream=9, thread=BACKWARD_THREAD,
        )  # fmt: skip
    found = timeline_of(tape)
    assert spans(found, "host") == [
        ("aten::mm", 10, 30, 0),
        ("cudaLaunchKernel", 20, 5, 1),
        ("cudaMemcpyAsync", 26, 1, 1),
    ]
    assert spans(found, "stream") == [("gemm", 30, 60, 0)]
    assert spans(found, "copies") == [("Memcpy HtoD", 91, 8, 0)]
    assert spans(found, "communication") == [("ncclKernel_AllReduce", 60, 20, 0)]
    by = {lane["kind"]: lane for lane in found["lanes"] if "launched_by" in lane}
    assert {kind: lane["launched_by"] for kind, lane in by.items()} == {
        "stream": [1],
        "copies": [2],
        "communication": [0],
    }
    assert by["communication"]["thread"] == BACKWARD_THREAD
    assert {lane["device"] for lane in by.values()} == {0}


def test_marks_and_fetches_have_a_lane() -> None:
    tape = steps_of(300, 300)
    tape._row("annotation", "my block", 20 * US, 60 * US, 1, STEP_THREAD)
    tape.fetch(30 * US, 50 * US)
    tape.fetch(400 * US, 420 * US)
    assert spans(timeline_of(tape), "marks") == [
        ("my block", 20, 40, 0),
        ("DataLoader.__next__", 30, 20, 1),
    ]


def test_the_shortest_spans_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = steps_of(300, 300, device="cuda:0")
    for number in range(5):
        above = tape.op("aten::mm", number * 40 * US, (number * 40 + 20 + number) * US)
        call = ((number * 40 + 1) * US, (number * 40 + 2) * US)
        tape.launched(above, call, ((number * 40 + 3) * US, (number * 40 + 23) * US))
    monkeypatch.setattr(chart, "MOST_SPANS", 10)
    found = timeline_of(tape)
    assert sum(len(lane["start_us"]) for lane in found["lanes"]) == 10
    assert found["dropped"] == 7
    assert [name for name, *_ in spans(found, "host")] == ["aten::mm"] * 5
    (stream,) = [lane for lane in found["lanes"] if lane["kind"] == "stream"]
    # The calls that launched them are among those that were dropped.
    assert stream["launched_by"] == [-1] * 3


def test_of_equals_what_contains_the_others_is_kept() -> None:
    lane = Lane("host", "")
    for depth in range(4):
        lane.add(0, 10, depth, depth, -1, depth)
    assert chart.keep_longest([lane], 2) == 2
    assert lane.depth == [0, 1]


def test_hostile_names_come_through_as_they_are() -> None:
    tape = steps_of(300, 300)
    for number, name in enumerate(HOSTILE):
        tape.op(name, number * 10 * US, (number * 10 + 5) * US)
    assert tuple(name for name, *_ in spans(timeline_of(tape), "host")) == HOSTILE


def test_texts_of_measured_and_marked_lines_are_told_and_no_others() -> None:
    tape = steps_of(300, 300)
    tape.line(700 * US, 31)  # after the last step: no part of its cost
    source = [f"line {number}" for number in range(1, 60)]
    source[49] = "    " + "x" * 1000
    tape.facts["source"] = "\n".join(source)
    analysed = analyse_timeline(tape.timeline())
    hint = Hint(make.finding(file=FILE, line=7), None)
    report = dataclasses.replace(analysed.report, hints=(hint,))
    charts = build_charts(dataclasses.replace(analysed, report=report))
    assert charts is not None
    told = {charts["places"][row["place"]]["line"]: row["text"] for row in charts["source_lines"]}
    assert told == {7: "line 7", 11: "line 11", 50: "x" * 300}
