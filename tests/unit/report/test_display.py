from __future__ import annotations

import dataclasses

import pytest

from stepscope.attribution.model import Breakdown, LineCost
from stepscope.report import display
from tests import factories as make


@pytest.mark.parametrize(
    ("line", "text"),
    [
        pytest.param(
            make.line(1, 12.3, live_at_peak_bytes=96_000_000),
            "41 % · 12.3 ms · ↑ 96 MB",
            id="all three",
        ),
        pytest.param(make.line(1, 12.3), "41 % · 12.3 ms", id="memory not recorded"),
        pytest.param(make.line(1, 12.3, live_at_peak_bytes=0), "41 % · 12.3 ms", id="no memory"),
        pytest.param(make.line(1, 0.0, live_at_peak_bytes=96_000_000), "↑ 96 MB", id="only memory"),
        pytest.param(make.line(1, 0.16), "<1 % · 160 µs", id="just enough time"),
        pytest.param(make.line(1, 0.14), None, id="too little time"),
        pytest.param(
            make.line(1, 0.0, live_at_peak_bytes=2_400_000), "↑ 2.4 MB", id="just enough memory"
        ),
        pytest.param(make.line(1, 0.0, live_at_peak_bytes=2_300_000), None, id="too little memory"),
        pytest.param(
            make.line(1, 0.0, worker_ms=3.1),
            "3.10 ms per batch in a loader worker",
            id="only in a worker: no share of the step",
        ),
        pytest.param(
            make.line(1, 12.3, worker_ms=3.1),
            "41 % · 12.3 ms · 3.10 ms per batch in a loader worker",
            id="here and in a worker",
        ),
        pytest.param(make.line(1, 0.0, worker_ms=0.01), None, id="too little in a worker"),
        pytest.param(make.line(1, 0.0), None, id="nothing"),
    ],
)
def test_what_a_line_shows(line: LineCost, text: str | None) -> None:
    summary = display.summarize_line(make.profile([line]), line)
    assert (summary.text if summary else None) == text


def test_memory_is_not_shown_without_a_peak_to_compare_with() -> None:
    line = make.line(1, 0.0, live_at_peak_bytes=96_000_000)
    assert display.summarize_line(make.profile([line], memory=None), line) is None


def test_every_part_of_the_breakdown_has_a_word() -> None:
    fields = [field.name for field in dataclasses.fields(Breakdown)]
    assert list(display.BREAKDOWN_WORDS) == fields


def test_what_was_measured_is_said() -> None:
    on_cpu = make.profile()
    on_gpu = make.profile(run=make.run_info(device="cuda:0 NVIDIA H200"))
    assert "no GPU was measured" in display.describe_device(on_cpu)
    assert "cuda:0 NVIDIA H200" in display.describe_device(on_gpu)
    assert display.describe_steps(on_cpu) == (
        "10 steps timed after 3 to warm up; steps found by: "
        "the loop on line 16, one optimizer step each."
    )
