"""Costs as a speedscope file: valid, and its weights add up to what was measured."""

from __future__ import annotations

import io
import json
from typing import Any

import jsonschema
import pytest

from stepscope.attribution.model import LineCost, Unattributed
from stepscope.report.exports.speedscope import speedscope, write_speedscope
from stepscope.report.model import Report
from tests import factories as make

SCHEMA: dict[str, Any] = {
    # The parts of https://www.speedscope.app/file-format-schema.json that concern such a file.
    "type": "object",
    "required": ["$schema", "profiles", "shared"],
    "properties": {
        "$schema": {"enum": ["https://www.speedscope.app/file-format-schema.json"]},
        "activeProfileIndex": {"type": "number"},
        "exporter": {"type": "string"},
        "name": {"type": "string"},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {"frames": {"type": "array", "items": {"$ref": "#/definitions/Frame"}}},
        },
        "profiles": {"type": "array", "items": {"$ref": "#/definitions/SampledProfile"}},
    },
    "definitions": {
        "Frame": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "file": {"type": "string"},
                "line": {"type": "number"},
                "col": {"type": "number"},
            },
        },
        "SampledProfile": {
            "type": "object",
            "required": ["endValue", "name", "samples", "startValue", "type", "unit", "weights"],
            "properties": {
                "endValue": {"type": "number"},
                "name": {"type": "string"},
                "samples": {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": "number"}},
                },
                "startValue": {"type": "number"},
                "type": {"enum": ["sampled"]},
                "unit": {
                    "enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds",
                             "bytes"],
                },
                "weights": {"type": "array", "items": {"type": "number"}},
            },
        },
    },
}  # fmt: skip


def made(report: Report) -> dict[str, Any]:
    out = io.StringIO()
    write_speedscope(report, out)
    found: dict[str, Any] = json.loads(out.getvalue())
    jsonschema.validate(found, SCHEMA)
    frames = len(found["shared"]["frames"])
    for profile in found["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= frame < frames for stack in profile["samples"] for frame in stack)
        assert all(weight > 0 for weight in profile["weights"])
        assert profile["endValue"] == pytest.approx(sum(profile["weights"]))
    return found


def profile_of(found: dict[str, Any], name: str) -> dict[tuple[str, ...], float]:
    """Names of each stack -> its weight."""
    (profile,) = [profile for profile in found["profiles"] if profile["name"] == name]
    names = [frame["name"] for frame in found["shared"]["frames"]]
    return {
        tuple(names[frame] for frame in stack): weight
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True)
    }


LINE = (
    "train.py",
    "Net.forward",
    f"line {make.line_of('self.a(x)')}: y = self.a(x)",
)


def of_line(operator: str) -> tuple[str, ...]:
    return (*LINE, operator)


def lines() -> list[LineCost]:
    return [
        make.line(
            make.line_of("self.a(x)"), 12.0, forward_ms=4.5, backward_ms=8.0, work_ms=12.5,
            host_ms=3.0, live_at_peak_bytes=96_000_000,
            ops=(make.op("aten::addmm", 4.0), make.op("AddmmBackward0", 8.0, backward=True)),
        ),
        make.line(make.line_of("opt.step()"), 6.0, function="main"),
    ]  # fmt: skip


REST = Unattributed(host_ms=2.0, work_ms=1.0, cost_ms=2.5, ops=(make.op("aten::detach", 1.0),))


def test_each_question_has_its_profile() -> None:
    found = made(make.report(lines(), unattributed=REST))
    assert [profile["name"] for profile in found["profiles"]] == [
        "Cost per step", "Forward per step", "Backward per step", "Host per step",
        "Live at the peak",
    ]  # fmt: skip
    assert [profile["unit"] for profile in found["profiles"]] == ["milliseconds"] * 4 + ["bytes"]


def test_costs_add_up_to_the_step() -> None:
    report = make.report(lines(), unattributed=REST)
    cost = profile_of(made(report), "Cost per step")
    assert cost[LINE] == 12.0
    assert cost[("(no line)",)] == 2.5
    assert sum(cost.values()) == pytest.approx(20.5)
    host = profile_of(made(report), "Host per step")
    assert host[LINE] == 3.0


def test_work_is_divided_into_operators_and_the_rest() -> None:
    found = made(make.report(lines(), unattributed=REST))
    forward = profile_of(found, "Forward per step")
    assert forward[of_line("aten::addmm")] == 4.0
    assert forward[LINE] == 0.5
    assert forward[("(no line)", "aten::detach")] == 1.0
    backward = profile_of(found, "Backward per step")
    assert backward[of_line("AddmmBackward0")] == 8.0
    assert LINE not in backward


def test_frames_point_at_their_lines() -> None:
    frames = made(make.report(lines()))["shared"]["frames"]
    number = make.line_of("self.a(x)")
    assert {"name": LINE[2], "file": make.TARGET, "line": number} in frames
    assert {"name": "Net.forward", "file": make.TARGET} in frames


def test_what_no_line_holds_at_the_peak_is_shown() -> None:
    found = made(make.report(lines(), memory=make.memory(100_000_000)))
    live = profile_of(found, "Live at the peak")
    assert live == {LINE: 96_000_000, ("(no line)",): 4_000_000}


def test_what_was_not_measured_has_no_profile() -> None:
    found = made(make.memory_only())
    assert [profile["name"] for profile in found["profiles"]] == ["Live at the peak"]
    found = made(make.report(lines(), memory=None, work_measured=False))
    assert [profile["name"] for profile in found["profiles"]] == ["Cost per step", "Host per step"]


@pytest.mark.parametrize("name", ["</script>\"'", "\x1b[31m", "\udcff", "日本\x00", ""])
def test_hostile_names_are_data(name: str) -> None:
    line = make.line(1, function=name, file=f"/project/{name}.py", ops=(make.op(name, 0.1),))
    frames = made(make.report([line]))["shared"]["frames"]
    assert {"name": name or "(no function)", "file": f"/project/{name}.py"} in frames
    assert {"name": name} in frames


def test_the_file_names_its_maker() -> None:
    found = speedscope(make.report())
    assert found["name"] == "train.py"
    assert found["exporter"].startswith("stepscope ")
