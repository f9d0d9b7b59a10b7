"""A memory snapshot as a report: what it says, and what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stepscope.attribution.check import self_check
from stepscope.opening import open_recordings
from stepscope.report.schema import load_schema
from stepscope.report.snapshot import snapshot_report
from stepscope.report.to_json import report_to_text
from stepscope.session.model import Failure, FailureKind
from stepscope.timeline.recorded import PathMap
from stepscope.timeline.snapshot.load import load_snapshot, parse_snapshot
from tests import snapshots
from tests.snapshots import MODEL, TRAIN, Allocator, stack


def written(allocator: Allocator, keep: int | None = None) -> dict[str, Any]:
    report = snapshot_report(parse_snapshot(allocator.snapshot(keep), "/data/s.pickle"))
    assert self_check(report.profile) == []
    made: dict[str, Any] = json.loads(report_to_text(report))
    jsonschema.validate(made, load_schema())
    return made


def busy() -> Allocator:
    allocator = Allocator()
    allocator.alloc(1, 6_000_000, stack(11))
    allocator.alloc(2, 3_000_000, stack(12))
    allocator.alloc(3, 1_000_000, [])
    allocator.free(2)
    allocator.alloc(2, 500_000, stack(12))
    return allocator


def test_lines_hold_the_peak() -> None:
    made = written(busy())
    assert made["memory"] == {
        "peak_bytes": 10_000_000, "reserved_bytes": 0, "peak_line": None, "categories": None,
        "before_bytes": 0,
        "timeline": [
            {"at_ms": 0.0, "live_bytes": 6_000_000}, {"at_ms": 0.01, "live_bytes": 9_000_000},
            {"at_ms": 0.02, "live_bytes": 10_000_000}, {"at_ms": 0.03, "live_bytes": 7_000_000},
            {"at_ms": 0.05, "live_bytes": 7_500_000},
        ],
    }  # fmt: skip
    lines = {
        (line["file"], line["line"]): (line["live_at_peak_bytes"], line["allocated_bytes"])
        for line in made["lines"]
    }
    assert lines == {(MODEL, 11): (6_000_000, 6_000_000), (MODEL, 12): (3_000_000, 3_500_000)}
    assert made["run"]["target"] == TRAIN
    assert made["run"]["device"] == "cuda:0"


def test_nothing_that_was_not_measured_has_a_number() -> None:
    made = written(busy())
    assert made["step_ms"] is made["tax"] is made["totals"] is made["breakdown"] is None
    (line, _) = made["lines"]
    for key in ("calls", "cost_ms", "host_ms", "work_ms", "forward_ms", "backward_ms",
                "device_idle_ms", "flops", "launches", "categories"):  # fmt: skip
        assert line[key] is None, key


def test_the_notes_say_what_a_reader_must_know() -> None:
    allocator = busy()
    allocator.out_of_memory(50_000_000, 2_000_000, stack(13))
    notes = written(allocator)["notes"]
    assert notes == [
        f"Out of memory at {MODEL}:13: 50 MB were requested, 7.5 MB in use, 2 MB free on the "
        "device.",
        "1 MB of the peak (10 %) has no line: its stack was not recorded or holds no Python, as in "
        "a backward pass.",
        "Sizes are those that were requested; the allocator rounds each up to a multiple of 512 "
        "bytes.",
    ]


def test_a_snapshot_without_history_is_not_called_a_peak_that_was_recorded() -> None:
    made = written(busy(), keep=0)
    assert "not the peak" in made["notes"][0]
    assert {line["allocated_bytes"] for line in made["lines"]} == {None}


def test_the_device_with_the_highest_peak_is_shown_and_the_other_named() -> None:
    first, second = Allocator(), Allocator(device=1)
    first.alloc(1, 1_000_000, stack(11))
    second.alloc(1, 2_000_000, stack(12))
    merged = first.snapshot()
    merged["segments"] += second.snapshot()["segments"]
    merged["device_traces"] += second.snapshot()["device_traces"][1:]
    report = snapshot_report(parse_snapshot(merged, "/s"))
    assert report.profile.run.device == "cuda:1"
    assert "cuda:0 is not shown; its peak is 1 MB." in report.profile.notes


def test_an_empty_snapshot_says_so() -> None:
    made = written(Allocator())
    assert made["memory"] is None
    assert made["notes"] == ["The snapshot holds no memory of any device."]
    assert made["run"]["target"] == "/data/s.pickle"


def test_sources_that_are_there_are_shown(tmp_path: Path) -> None:
    here = tmp_path / "model.py"
    here.write_text("x = 1\ny = 2\n")
    allocator = Allocator()
    allocator.alloc(1, 1000, stack(2, file=str(here)))
    path = snapshots.write(allocator.snapshot(), tmp_path / "s.pickle")
    assert snapshot_report(load_snapshot(path)).profile.sources == {str(here): "x = 1\ny = 2\n"}


def test_sources_of_another_machine_are_found_in_the_workspace(tmp_path: Path) -> None:
    for name in ("model.py", "train.py"):
        (tmp_path / "project").mkdir(exist_ok=True)
        body = "    x\n" * 20
        (tmp_path / "project" / name).write_text(f"def forward():\n{body}")
    path = snapshots.write(busy().snapshot(), tmp_path / "s.pickle")
    opened = open_recordings([path], PathMap(roots=[tmp_path]))
    assert opened.attributed is None
    profile = opened.report.profile
    here = str(tmp_path / "project" / "model.py")
    assert profile.run.target == str(tmp_path / "project" / "train.py")
    assert {line.key for line in profile.lines} == {(here, 11), (here, 12)}
    assert set(profile.sources) == {here}


def test_a_pickle_with_code_is_refused_as_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "s.pickle"
    path.write_bytes(b"\x80\x02cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(Failure, match="nothing was run") as caught:
        open_recordings([path])
    assert caught.value.kind is FailureKind.USAGE


def test_hostile_names_are_data(tmp_path: Path) -> None:
    name = "/home/\x1b[31m<script>'\"\udcff/model.py"
    allocator = Allocator()
    allocator.alloc(1, 1000, stack(2, file=name, function="</script>\x00"))
    path = snapshots.write(allocator.snapshot(), tmp_path / "s.pickle")
    made = json.loads(report_to_text(snapshot_report(load_snapshot(path))))
    (line,) = made["lines"]
    assert (line["file"], line["function"]) == (name, "</script>\x00")
