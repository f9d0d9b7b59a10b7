"""The hover's Markdown: measured values only, and nothing of the user's text is formatting."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.attribution.model import LineCost, Profile, Waits
from stepscope.editor import markdown as md
from stepscope.editor.hover import describe_line
from stepscope.editor.store import FileView, MeasuredText
from tests import factories as make


def describe(line: LineCost, *, stale: bool = False, **profile: Any) -> str:
    made: Profile = make.profile([line], **profile)
    return describe_line(FileView(make.TARGET, made, MeasuredText(make.SOURCE)), line, stale=stale)


def row(text: str, name: str) -> str | None:
    found = [line for line in text.split("\n") if line.startswith(f"| {name} |")]
    assert len(found) <= 1
    return found[0].split("|")[2].strip() if found else None


FULL = make.line(
    11,
    12.3,
    host_ms=14.0,
    calls=4.0,
    device_idle_ms=0.5,
    wait_ms=Waits(data=0.0, sync=1.5, copy=0.2),
    live_at_peak_bytes=96_000_000,
    allocated_bytes=120_000_000,
    categories=make.categories(activation=90_000_000, gradient=6_000_000),
    worker_ms=3.1,
    launches=8.0,
    flops=2.6e9,
    bytes_moved=4.0e7,
    regime="memory",
    headroom_ms=3.1,
    ops=(make.op("aten::mm", 4.1),),
)

ON_GPU = make.run_info(device="cuda:0 NVIDIA H200")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Forward", "4.10 ms"),
        ("Backward", "8.20 ms"),
        ("Host", "14.0 ms"),
        ("Device idle meanwhile", "500 µs"),
        ("Waiting for data", "0 ms"),
        ("Waiting for the device", "1.50 ms"),
        ("Waiting for copies", "200 µs"),
        ("Waiting for other ranks", None),
        ("Memory live at the peak", "96 MB (40 % of it)"),
        ("of it", "activations 90 MB, gradients 6 MB"),
        ("Memory allocated", "120 MB"),
        ("In a loader worker, per batch", "3.10 ms"),
        ("Times run", "4"),
        ("Kernels launched", "8"),
        ("Arithmetic", "2.60 GFLOP"),
        ("Memory traffic", "40 MB"),
        ("Bound", "memory-bound"),
        ("Above what the hardware allows", "3.10 ms"),
    ],
)
def test_a_row_for_each_measurement(name: str, value: str | None) -> None:
    assert row(describe(FULL, run=ON_GPU), name) == value


def test_what_was_not_measured_has_no_row() -> None:
    text = describe(make.line(11, 12.3))
    for name in (
        "Device idle meanwhile",
        "Waiting for data",
        "Memory allocated",
        "Bound",
        "In a loader",
    ):
        assert row(text, name) is None
    assert "Operator" not in text.split("\n\n", 2)[2]


def test_a_line_that_computes_nothing_has_no_passes() -> None:
    idle = make.line(16, 3.0, work_ms=0.0, forward_ms=0.0, backward_ms=0.0, launches=0.0, flops=0.0)
    text = describe(idle)
    for name in ("Forward", "Backward", "Operators run", "Arithmetic"):
        assert row(text, name) is None
    assert row(text, "Host") == "3.00 ms"


def test_on_the_cpu_it_says_so() -> None:
    text = describe(FULL)
    assert "operator time on the CPU; no GPU was measured" in text
    assert row(text, "Kernels launched") is None
    assert row(text, "Operators run") == "8"


def test_the_tax_and_the_steps_are_told() -> None:
    text = describe(FULL).replace("\\", "")
    assert "10 steps timed after 3 to warm up" in text
    assert "the loop on line 16" in text
    assert "a step took 1.40× its clean time" in text


def test_the_process_is_told_if_it_is_not_the_main_one() -> None:
    words = "SpawnProcess-1 (pid 12), started by spawn"
    text = describe(FULL, run=make.run_info(process=words)).replace("\\", "")
    assert f"10 steps timed after 3 to warm up in {words}; steps found by" in text


def test_only_the_top_operators_are_listed() -> None:
    ops = tuple(make.op(f"aten::op{n}", float(n)) for n in range(8))
    text = describe(make.line(11, 12.3, ops=ops))
    assert text.index("aten::op7") < text.index("aten::op6")
    assert "aten::op1`" not in text
    assert "*and 2 more operators*" in text


def test_a_stale_line_shows_what_it_was() -> None:
    text = describe(FULL, stale=True)
    assert "Measured 2026-01-02, **before the edit**" in text
    assert "```python\ny = self.a(x)\n```" in text


def test_a_function_line_is_not_taken_for_more() -> None:
    assert "Only the function is known" in describe(make.line(11, 12.3, exact=False))
    recorded = describe(make.line(11, 12.3, exact=False), whole_functions=True)
    assert "*Whole function, recorded" in recorded
    assert "Only the function is known" not in recorded
    assert "function, recorded" not in describe(make.line(11, 12.3), whole_functions=True)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a*b_c", r"a\*b\_c"),
        ("[x](y) <b>|`", r"\[x\]\(y\) \<b\>\|\`"),
        ("two\nlines", "two lines"),
        ("back\\slash", r"back\\slash"),
    ],
)
def test_text_stays_text(text: str, escaped: str) -> None:
    assert md.escape(text) == escaped


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("aten::mm", "`aten::mm`"),
        ("a|b", r"`a\|b`"),
        ("has `ticks`", "`` has `ticks` ``"),
        ("two\nlines", "`two lines`"),
        ("", ""),
    ],
)
def test_code_stays_code(text: str, code: str) -> None:
    assert md.code(text) == code


def test_a_block_outlasts_the_fences_inside() -> None:
    assert md.fenced("a ``` b", "python") == "````python\na ``` b\n````"


def test_without_a_clock_there_is_memory_and_no_time() -> None:
    made = make.memory_only().profile
    (line,) = made.lines
    view = FileView(make.TARGET, made, MeasuredText(make.SOURCE))
    text = describe_line(view, line, stale=False)
    assert text.startswith("**Memory** of this line in `Net.forward`; time was not measured")
    assert row(text, "Memory live at the peak") == "96 MB (48 % of it)"
    assert row(text, "Memory allocated") == "192 MB"
    assert row(text, "Host") is row(text, "Times run") is None
    assert "per step" not in text
    assert "does not tell what memory is for" in text
