"""A program that a framework trains, profiled, and what must hold of every one of them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from stepscope.agent.plan import Plan, plan_for
from stepscope.attribution.model import LineCost
from stepscope.report.model import Report
from tests.agent.attempts import Outcome, Project

STEPS, WARMUP = 2, 1
TIMEOUT_S = 300.0  # importing a framework takes seconds, or a minute where six others do so, too
# A child of the program must not look for a network, nor colour what it prints.
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "KERAS_BACKEND": "torch", "NO_COLOR": "1"}


def need(package: str, command: str) -> None:
    """Skip the test where ``package`` is not installed; ``command`` installs it."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed here; `{command}` installs it")


def profiled(project: Project, program: Path, **request: Any) -> tuple[Report, str]:
    """Profile a copy of the program; its report and what it printed.

    Checked on the way: no process is left, no file has changed (``Project.run``), and the program
    was stopped without a traceback.
    """
    target = project.file(program.read_text(encoding="utf-8"), program.name)
    outcome: Outcome = project.run(
        target, cwd=project.root, steps=STEPS, warmup=WARMUP, timeout_s=TIMEOUT_S, **request
    )
    output = outcome.output.decode("utf-8", "replace")
    report = outcome.reported
    assert "Traceback" not in output, output
    assert "StopTarget" not in output, output
    return report, output


def updates_told(output: str) -> int:
    """The framework's own count of updates when the program was stopped, as the program told it."""
    told = re.findall(r"TRUTH (\d+)", output)
    assert told, output
    return int(told[-1])


def updates_needed(*, in_a_loop: bool) -> int:
    """Updates from the first one to the end of the last pass, each counted as one step."""
    plan: Plan = plan_for(1.0, STEPS, in_a_loop)
    passes = ("clean", "lines", "mapped", "detail")
    return 1 + WARMUP + sum(plan.intervals(name) for name in passes)


def marked(report: Report, mark: str) -> set[int]:
    """The lines of the program that end in ``# mark``."""
    lines = Path(report.profile.run.target).read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}")}


def lines_of(report: Report) -> list[LineCost]:
    """The program's own lines."""
    return [line for line in report.profile.lines if line.file == report.profile.run.target]


def lines_with(report: Report, *operators: str) -> set[int]:
    """Lines that were given one of these operators."""
    return {line.line for line in lines_of(report) if any(op.name in operators for op in line.ops)}


def check_model_lines(report: Report) -> None:
    """The model's work is on its own lines, forward and backward."""
    model = marked(report, "model")
    products = lines_with(report, "aten::addmm", "aten::mm")
    assert products, "no matrix product was seen"
    assert products <= model
    # In operations, not in time: on a busy machine one operator may take as long as all others.
    flops = {line.key: line.flops or 0.0 for line in report.profile.lines}
    on_model = sum(count for (_, line), count in flops.items() if line in model)
    assert on_model >= 0.95 * sum(flops.values()) > 0
    assert report.profile.coverage.work >= 0.95
    assert {line.line for line in lines_of(report) if line.backward_ms} >= model
