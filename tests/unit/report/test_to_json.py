"""The JSON follows its published schema, and the schema follows the data model."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import jsonschema
import pytest

from stepscope.attribution import model as attribution
from stepscope.diagnosis.finding import Finding, Related, Severity
from stepscope.diagnosis.verdict import Cause, Verdict
from stepscope.fixes import model as fixes
from stepscope.report import model as report_model
from stepscope.report.schema import load_schema
from stepscope.report.to_json import report_to_json, report_to_text
from stepscope.report.trial import Trial
from tests import factories as make

NOT_PUBLISHED = {
    "sources": "text of the user's files: what an editor compares with, not a result",
    "work_measured": "what was not measured is null in the JSON",
    "timed": "what was not measured is null in the JSON",
    "whole_functions": "each line's exact says so",
}

DATACLASS_OF: dict[str, tuple[type, ...]] = {
    # The report itself spreads its profile's fields over the top level.
    "": (attribution.Profile,),
    "Run": (attribution.RunInfo,),
    "StepTime": (attribution.StepTime,),
    "Totals": (attribution.Totals,),
    "Breakdown": (attribution.Breakdown,),
    "Coverage": (attribution.Coverage,),
    "Waits": (attribution.Waits,),
    "Categories": (attribution.Categories,),
    "Op": (attribution.OpCost,),
    "Line": (attribution.LineCost,),
    "Unattributed": (attribution.Unattributed,),
    "MemoryPoint": (attribution.MemoryPoint,),
    "Memory": (attribution.MemoryProfile,),
    "Ranks": (attribution.Ranks,),
    "RankCost": (attribution.RankCost,),
    "Collective": (attribution.Collective,),
    "LineSkew": (attribution.LineSkew,),
    "Verdict": (Verdict,),
    "Cause": (Cause,),
    "Finding": (Finding, report_model.Hint),
    "Trial": (Trial,),
    "Related": (Related,),
    "Fix": (fixes.Fix,),
    "Edit": (fixes.TextEdit,),
}
ONLY_IN_JSON = {
    "": {"schema", "findings", "verdict", "charts"},
    "Cause": {"file"},
}
# Pictures are drawn from them: large, and made only where a page asks.
OPTIONAL = {"": {"charts"}, "Lane": {"launched_by"}}
IN_ANOTHER_SHAPE = {"finding"}  # a hint's finding is spread over the finding's object


def _validator() -> jsonschema.Draft202012Validator:
    schema = load_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def _minimal() -> report_model.Report:
    return make.report(lines=[make.line(11)], findings=[], memory=None)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(make.report(), id="everything measured"),
        pytest.param(_minimal(), id="least measured"),
        pytest.param(
            make.report(findings=[(make.finding(gain_ms=None), None)]), id="finding without a fix"
        ),
        pytest.param(
            make.report(findings=[(make.finding(), make.fix(edits=()))]), id="advice in words"
        ),
        pytest.param(make.report(memory=make.memory(peak_line=None)), id="peak without a line"),
        pytest.param(make.memory_only(), id="memory alone"),
    ],
)
def test_reports_follow_the_schema(report: report_model.Report) -> None:
    _validator().validate(json.loads(report_to_text(report)))


def test_not_measured_is_null_and_measured_zero_is_zero() -> None:
    line = make.line(11, launches=None, device_idle_ms=0.0)
    (written,) = report_to_json(make.report(lines=[line]))["lines"]
    assert written["launches"] is None
    assert written["device_idle_ms"] == 0
    assert written["wait_ms"] == {"data": None, "sync": None, "copy": None, "communication": None}


@pytest.mark.parametrize("name", DATACLASS_OF)
def test_every_field_is_published(name: str) -> None:
    schema = load_schema()
    published = set((schema["$defs"][name] if name else schema)["properties"])
    fields = {
        field.name for owner in DATACLASS_OF[name] for field in dataclasses.fields(owner)
    } - IN_ANOTHER_SHAPE
    assert fields - set(NOT_PUBLISHED) == published - ONLY_IN_JSON.get(name, set())


def test_every_object_is_closed_and_described() -> None:
    problems: list[str] = []

    def visit(node: Any, path: str) -> None:
        if not isinstance(node, dict):
            return
        if node.get("type") == "object" and path != "Finding.evidence":
            if node.get("additionalProperties") is not False:
                problems.append(f"{path} is open")
            optional = OPTIONAL.get(path, set())
            if sorted({*node["required"], *optional}) != sorted(node["properties"]):
                problems.append(f"{path} has optional properties; use null")
        for key, child in node.get("properties", {}).items():
            if "description" not in child and "$ref" not in child:
                problems.append(f"{path}.{key} has no description")
            visit(child, f"{path}.{key}")

    schema = load_schema()
    visit(schema, "")
    for name, definition in schema["$defs"].items():
        assert definition["description"]
        visit(definition, name)
    assert problems == []


def test_work_that_no_profiler_recorded_is_null() -> None:
    profile = dataclasses.replace(make.profile(lines=[make.line(1, 2.0)]), work_measured=False)
    written = report_to_json(report_model.Report(profile, ()))
    jsonschema.validate(written, load_schema())
    for part in (*written["lines"], written["unattributed"]):
        assert part["work_ms"] is None
        assert part["cost_ms"] is not None
    assert written["lines"][0]["forward_ms"] is written["lines"][0]["backward_ms"] is None
    assert written["coverage"]["work"] is None


def test_a_report_without_a_clock_has_no_times() -> None:
    written = report_to_json(make.memory_only())
    _validator().validate(written)
    for key in ("step_ms", "tax", "totals", "breakdown"):
        assert written[key] is None
    assert written["coverage"] == {"host": None, "work": None}
    (line,) = written["lines"]
    assert [key for key, value in line.items() if key.endswith("_ms") and value not in (None,)] == [
        "wait_ms"
    ]
    assert set(line["wait_ms"].values()) == {None}
    assert line["calls"] is None
    assert (line["allocated_bytes"], line["live_at_peak_bytes"]) == (192_000_000, 96_000_000)
    assert written["memory"]["categories"] is None
    assert written["memory"]["before_bytes"] == 50_000_000
    assert written["run"]["torch"] is written["run"]["started"] is None


def test_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        report_to_text(make.report(tax=float("nan")))


def test_dust_of_rounding_is_no_measurement() -> None:
    report = make.report(
        coverage=attribution.Coverage(host=1.0000000000000002, work=0.5),
        unattributed=attribution.Unattributed(host_ms=-1e-15, work_ms=0.0, cost_ms=-1e-17),
    )
    written = report_to_json(report)
    _validator().validate(written)
    assert written["coverage"] == {"host": 1, "work": 0.5}
    assert written["unattributed"]["cost_ms"] == 0


def test_what_is_wrong_is_not_tidied_away() -> None:
    report = make.report(coverage=attribution.Coverage(host=1.01, work=0.5))
    with pytest.raises(jsonschema.ValidationError, match="greater than the maximum"):
        _validator().validate(report_to_json(report))


def test_hints_come_in_order_of_importance() -> None:
    small = make.finding(1, severity=Severity.WARNING, gain_ms=(0.1, 0.2))
    large = make.finding(2, severity=Severity.WARNING, gain_ms=(0.1, 5.0))
    unmeasured = make.finding(3, severity=Severity.HINT, gain_ms=None)
    report = make.report(findings=[(unmeasured, None), (small, None), (large, None)])
    assert [hint.finding.line for hint in report.hints] == [2, 1, 3]
