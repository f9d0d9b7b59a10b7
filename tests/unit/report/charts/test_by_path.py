"""Costs by call path add up to what the report says of each line, and lie where they were made."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from stepscope.analysis import analyse_timeline
from stepscope.report.charts.build import build_charts
from stepscope.report.exports.analysed import Analysed
from stepscope.timeline.model import Timeline
from tests.timelines import BACKWARD_THREAD, Tape, recording_of

Node = tuple[str, ...]


def charts_of(timeline: Timeline) -> tuple[Analysed, dict[str, Any]]:
    analysed = analyse_timeline(timeline)
    charts = build_charts(analysed)
    assert charts is not None
    return analysed, charts


def nodes(charts: dict[str, Any]) -> dict[Node, float]:
    """Path of names below the root -> its own ms."""
    tree = charts["flame"]["by_path"]
    paths: list[Node] = []
    found = {}
    for parent, name, ms in zip(tree["parent"], tree["name"], tree["self_ms"], strict=True):
        paths.append(() if parent < 0 else (*paths[parent], charts["names"][name]))
        found[paths[-1]] = ms
    assert len(found) == len(paths), "a path stands twice"
    return found


def assert_sums(analysed: Analysed, charts: dict[str, Any]) -> None:
    """Nodes of a line add up to its cost, all nodes to the step, as the breakdown does."""
    tree = charts["flame"]["by_path"]
    by_line: dict[Any, float] = defaultdict(float)
    for place, ms in zip(tree["place"], tree["self_ms"], strict=True):
        at = charts["places"][place] if place >= 0 else None
        by_line[None if at is None else (at["file"], at["line"])] += ms
    profile = analysed.report.profile
    for line in profile.lines:
        assert by_line.pop(line.key, 0.0) == pytest.approx(line.cost_ms, abs=1e-8)
    assert by_line.pop(None) == pytest.approx(profile.unattributed.cost_ms, abs=1e-8)
    assert not by_line
    step = profile.step_ms.median
    assert sum(tree["self_ms"]) == pytest.approx(step, rel=1e-6)
    shares = profile.breakdown
    assert sum(getattr(shares, name) for name in shares.__dataclass_fields__) == pytest.approx(1)


def two_callers() -> Tape:
    """Steps of 1 ms: ``helper`` is called from line 11 (300 us of it) and from line 12 (100 us)."""
    tape = Tape(0, 1_000_000, 2_000_000, 3_000_000)
    tape.line(0, 10)
    for step in range(0, 3_000_000, 1_000_000):
        tape.line(step, 11)
        tape.enter(step + 100_000, "helper")
        tape.line(step + 100_000, 50, "helper")
        tape.op("aten::mm", step + 150_000, step + 250_000, sequence=step // 100_000)
        tape.leave(step + 400_000, "helper")
        tape.line(step + 500_000, 12)
        tape.enter(step + 500_000, "helper")
        tape.line(step + 500_000, 50, "helper")
        tape.leave(step + 600_000, "helper")
        tape.line(step + 700_000, 13)
        tape.node("MmBackward0", step + 750_000, step + 950_000, step // 100_000)
    return tape


def test_a_line_is_divided_by_who_called_it() -> None:
    analysed, charts = charts_of(two_callers().timeline())
    assert_sums(analysed, charts)
    found = {path: round(ms, 6) for path, ms in nodes(charts).items() if ms}
    first, second = ("train.py:11 main",), ("train.py:12 main",)
    assert found == {
        first: 0.2,  # 100 us before the call and 100 us after it
        # 300 us there, and the backward pass of what was multiplied there: not of line 12's call
        (*first, "train.py:50 helper"): 0.5,
        second: 0.1,
        (*second, "train.py:50 helper"): 0.1,
        ("train.py:13 main",): 0.1,
    }


def test_a_device_is_charged_on_the_path_that_launched() -> None:
    tape = Tape(0, 1_000, 2_000, 3_000, device="cuda:0")
    tape.line(0, 10)
    for step in (0, 1_000, 2_000):
        for line, begin, length in ((11, step, 300), (12, step + 400, 100)):
            tape.line(begin, line)
            tape.enter(begin, "helper")
            tape.line(begin, 50, "helper")
            above = tape.op("aten::mm", begin + 5, begin + 25, sequence=begin)
            work = (begin + 20, begin + 20 + length)
            tape.launched(above, (begin + 10, begin + 12), work)
            tape.leave(begin + 30, "helper")
        node = tape.node("MmBackward0", step + 800, step + 820, step, thread=BACKWARD_THREAD)
        tape.launched(node, (step + 805, step + 806), (step + 810, step + 860), thread=200)
    analysed, charts = charts_of(tape.timeline())
    assert_sums(analysed, charts)
    found = nodes(charts)
    first = found[("train.py:11 main", "train.py:50 helper")]
    second = found[("train.py:12 main", "train.py:50 helper")]
    # 300 + 50 ns of kernels and 20 idle; 100 of kernels and 20 idle (before it began).
    assert [first, second] == pytest.approx([370e-6, 120e-6])


def test_lines_without_a_call_path_say_so() -> None:
    timeline = two_callers().timeline()
    recording = recording_of(timeline)
    recording.paths = None
    for track in recording.tracks.values():
        track.paths = []
    analysed, charts = charts_of(timeline)
    assert_sums(analysed, charts)
    assert {path[0] for path in nodes(charts) if path} == {"(call path not known)"}


def test_time_without_a_line_is_a_node_of_its_own() -> None:
    tape = Tape(0, 1_000, 2_000)
    tape.op("aten::mm", 100, 400)
    tape.op("aten::mm", 1_100, 1_400)
    analysed, charts = charts_of(tape.timeline())
    assert_sums(analysed, charts)
    assert nodes(charts) == {(): 0.0, ("(no line)",): pytest.approx(0.001)}


def test_a_recursion_is_a_path_of_its_own_each_time() -> None:
    tape = Tape(0, 1_000_000, 2_000_000)
    for step in (0, 1_000_000):
        tape.line(step, 11)
        for depth in range(3):
            tape.enter(step + 100_000 * (depth + 1), "again")
            tape.line(step + 100_000 * (depth + 1), 20, "again")
        for depth in range(3):
            tape.leave(step + 400_000 + 100_000 * depth, "again")
    analysed, charts = charts_of(tape.timeline())
    assert_sums(analysed, charts)
    deepest = max(nodes(charts), key=len)
    assert deepest == ("train.py:11 main", *["train.py:20 again"] * 3)
