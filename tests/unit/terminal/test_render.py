"""The report on terminals of several widths, with and without colour."""

from __future__ import annotations

import io
import re

import pytest

from stepscope.attribution.model import Breakdown, Unattributed
from stepscope.report.model import Report
from stepscope.terminal.breakdown import split_width
from stepscope.terminal.render import make_console, render_report
from tests import factories as make

OTHER = "/project/blocks.py"
OTHER_SOURCE = "".join(f"step_{number} = {number}\n" for number in range(1, 31))


def render(report: Report, width: int = 80) -> list[str]:
    stream = io.StringIO()
    render_report(report, make_console(stream, width))
    return stream.getvalue().split("\n")


def only(lines: list[str], text: str) -> str:
    (found,) = [line for line in lines if text in line]
    return found


def test_costs_stand_beside_their_lines() -> None:
    lines = render(make.report())
    assert only(lines, "         y = self.a(x)") == (
        " 41 %  12.3 ms   ↑ 96 MB █ 11          y = self.a(x)"
    )
    assert only(lines, "opt.step()").startswith(" 20 %  6.00 ms           █ 21 ")


def test_lines_without_cost_are_plain_and_all_there() -> None:
    lines = render(make.report())
    assert (
        only(lines, "super().__init__()")
        == "                            7          super().__init__()"
    )
    shown = [line for line in lines if re.match(r"[ %\d.mµs↑MB<▏▌█]{27} ?\d+  ", line)]
    assert len(shown) >= len(make.SOURCE.splitlines()) - 4  # blank lines lose their end
    assert only(lines, "opt.zero_grad()").startswith(" " * 27)


def test_the_memory_column_is_left_out_where_it_is_empty() -> None:
    lines = render(make.report(memory=None))
    assert only(lines, "         y = self.a(x)") == " 41 %  12.3 ms █ 11          y = self.a(x)"


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_nothing_is_cut_and_nothing_is_too_wide(width: int) -> None:
    long_line = "value = " + " + ".join(f"name_{n}" for n in range(40))
    source = f"{long_line}\nlast\n"
    report = make.report(
        [make.line(1, 12.3, live_at_peak_bytes=96_000_000, function="a_function" * 6)],
        [(make.finding(1, message="Words " * 60), make.fix(1, edits=()))],
        sources={make.TARGET: source},
        notes=("A note of " + "many " * 50 + "words.",),
    )
    lines = render(report, width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "…" not in text
    for n in range(40):
        assert f"name_{n}" in re.sub(r"\n\s*↳ ", "", text)
    assert text.count("Words") == 60
    assert text.count("many") == 50


def test_other_files_are_shown_around_their_costs() -> None:
    report = make.report(
        [make.line(10, 6.0, file=OTHER), make.line(20, 0.001, file=OTHER), make.line(11, 9.0)],
        [],
        sources={make.TARGET: make.SOURCE, OTHER: OTHER_SOURCE},
    )
    lines = render(report)
    shown = [int(n) for line in lines for n in re.findall(r"step_(\d+) = ", line)]
    assert shown == [8, 9, 10, 11, 12]
    assert only(lines, "step_10 = 10").startswith(" 20 %  6.00 ms █ 10  ")


def test_parts_of_a_file_are_told_apart() -> None:
    report = make.report(
        [make.line(3, 6.0, file=OTHER), make.line(25, 6.0, file=OTHER)],
        [],
        sources={make.TARGET: make.SOURCE, OTHER: OTHER_SOURCE},
    )
    lines = render(report)
    assert only(lines, "⋮").strip() == "⋮"


def test_a_file_without_cost_is_not_shown() -> None:
    report = make.report(
        [make.line(11, 9.0), make.line(3, 0.0, file=OTHER)],
        [],
        sources={make.TARGET: make.SOURCE, OTHER: OTHER_SOURCE},
    )
    assert not [line for line in render(report) if "blocks.py" in line]


def test_a_file_whose_source_is_gone_still_shows_its_costs() -> None:
    report = make.report([make.line(11, 12.3, file=OTHER)], [], sources={make.TARGET: make.SOURCE})
    assert only(render(report), "line 11 in Net.forward: 41 % · 12.3 ms")


def test_the_breakdown_fills_the_width_and_names_its_parts() -> None:
    lines = render(make.report())
    bar = only(lines, "████")
    assert bar == "█" * 40 + "▓" * 16 + "▒" * 8 + "░" * 8 + "─" * 8
    assert only(lines, "█ compute 50 %   ▓ memory traffic 20 %")
    assert not [line for line in lines if "synchronising" in line]


def test_a_step_that_was_not_broken_down_has_no_bar() -> None:
    nothing = Breakdown(*[0.0] * 9)
    assert not [line for line in render(make.report(breakdown=nothing)) if "Where the step" in line]


@pytest.mark.parametrize(
    ("shares", "cells"),
    [
        ([1.0], [10]),
        ([0.5, 0.5], [5, 5]),
        ([0.34, 0.33, 0.33], [4, 3, 3]),
        ([0.96, 0.02, 0.02], [10, 0, 0]),
        ([0.2, 0.2], [5, 5]),
    ],
)
def test_cells_add_up(shares: list[float], cells: list[int]) -> None:
    assert split_width(shares, 10) == cells


def test_hints_come_with_evidence_gain_and_diff() -> None:
    lines = render(make.report())
    start = lines.index("▲ sync-in-step  train.py:18")
    assert lines[start + 1 : start + 7] == [
        "  `loss.item()` makes the host wait for the device in every step.",
        "  wait 1.50 ms · per step 1 · kind item",
        "  Would save 500 µs to 1.50 ms per step (up to 5 % of it).",
        "  Fix: Print the loss every 100 steps",
        "  -         print(loss.item())",
        "  +         pass",
    ]


def test_a_report_without_a_clock_shows_memory_and_no_time() -> None:
    lines = render(make.memory_only())
    assert lines[0] == "Peak 200 MB  time was not measured"
    assert lines[1].endswith(" · Net · cuda:0")
    assert only(lines, "         y = self.a(x)").startswith("   ↑ 96 MB   11 ")
    assert only(lines, "  96 MB     192 MB  ").endswith("train.py:11 Net.forward")
    text = "\n".join(lines)
    assert "48 % of the peak" in text
    assert "Nothing was timed: a memory snapshot holds no steps." in text
    assert "50 MB of it (25 %) was allocated" in text
    assert not re.search(r"\d [mµ]?s\b|of the step|per step", text)


def test_unattributed_time_is_shown_with_its_names() -> None:
    rest = Unattributed(
        host_ms=3.0,
        work_ms=1.0,
        cost_ms=3.0,
        ops=tuple(make.op(f"aten::op{n}", float(n)) for n in range(8)),
    )
    line = only(render(make.report(unattributed=rest)), "Without a line")
    assert line.startswith("Without a line: 3.00 ms (10 %)  aten::op7, aten::op6")
    assert "and 2 more" in " ".join(render(make.report(unattributed=rest)))


def test_notes_are_shown_in_full() -> None:
    lines = render(make.report(notes=("Lines do not add up to the step: 28.0 of 30.0 ms.",)))
    assert only(lines, "Note: Lines do not add up to the step: 28.0 of 30.0 ms.")


def test_no_colour_and_no_control_characters_off_a_terminal() -> None:
    source = "print('\x1b[31m\x07')\nx = 1\x0c\n"
    report = make.report([make.line(1, 12.3)], [], sources={make.TARGET: source})
    text = "\n".join(render(report))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "␛[31m␇" in text


def test_markup_in_a_source_is_only_text() -> None:
    source = "x = '[bold]not bold[/bold] :smile:'\n"
    report = make.report([make.line(1, 12.3)], [], sources={make.TARGET: source})
    assert only(render(report), "x = '[bold]not bold[/bold] :smile:'")


@pytest.mark.parametrize("python", ["3.11.4", "/env/bin/python3 (3.11.4)"])
def test_the_header_names_the_version_of_python(python: str) -> None:
    lines = render(make.report(run=make.run_info(python=python)))
    assert lines[1].endswith("torch 2.13.0 · Python 3.11.4 · peak 240 MB")


def test_the_header_names_a_process_that_is_not_the_main_one() -> None:
    lines = render(make.report(run=make.run_info(process="rank 0 of 2")))
    assert " · rank 0 of 2 · " in lines[1]


def test_time_in_a_loaders_worker_stands_after_the_code() -> None:
    number = make.line_of("super().__init__()")
    lines = render(
        make.report(lines=[*make.default_lines(), make.line(number, 0.0, worker_ms=3.1)]), 120
    )
    assert only(lines, "super().__init__()") == (
        f"{number:>29}          super().__init__()  3.10 ms per batch in a loader worker"
    )
    assert not any(f"train.py:{number} " in line for line in lines), "no top line of the step"


def test_columns_of_the_top_lines_follow_the_room() -> None:
    def header(width: int) -> list[str]:
        lines = render(make.report(), width)
        (found,) = [line for line in lines if line.startswith("share") and "forward" in line]
        return found.split()

    narrow = ["share", "time", "forward", "backward", "at", "peak", "bound", "by", "line"]
    assert header(80) == narrow
    assert header(120) == [*narrow[:4], "host", *narrow[4:]]
