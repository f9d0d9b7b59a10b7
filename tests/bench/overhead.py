"""What each instrument costs the step that it measures, on the overhead-bound sample."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from tests.bench.running import ToolError, between, median_ratio, other_python, run_json, version_of
from tests.bench.table import Row, skipped

TURNS = 7
CLOCK_LIMIT = 1.05
HOOKS_LIMIT = 1.02
HOOK_TURNS = 200  # of one step each


def rows() -> list[Row]:
    """The rows of this Python, and of one with ``sys.monitoring`` where there is one."""
    found = [*_hook_rows(), *_rows(sys.executable)]
    if sys.version_info < (3, 12):
        python = other_python()
        if python is None:
            reason = "no Python >= 3.12 with torch here; `npm run test:matrix` makes one"
            found.append(skipped("Python >= 3.12", reason))
        else:
            found += _rows(python)
    return found


def _rows(python: str | Path) -> list[Row]:
    name = f"Python {version_of(python)}"
    try:
        times: dict[str, list[float]] = run_json(python, "overhead.py", str(TURNS))
    except ToolError as error:
        return [skipped(name, str(error))]
    nothing = times["nothing"]
    # The targets are for sys.monitoring; settrace costs what it costs, and is shown.
    promised = version_of(python) >= "3.12"
    step = f"a step takes {statistics.median(nothing):.1f} ms"
    stacks = median_ratio(times["with_stack"], nothing)
    return [
        Row(
            f"{name}: line clock alone / nothing",
            median_ratio(times["clock"], nothing),
            "x",
            CLOCK_LIMIT if promised else None,
            step,
        ),
        Row(f"{name}: torch.profiler / nothing", median_ratio(times["profiler"], nothing), "x"),
        Row(f"{name}: mapping pass / nothing", median_ratio(times["mapping"], nothing), "x"),
        Row(
            f"{name}: mapping pass / torch.profiler(with_stack=True)",
            median_ratio(times["mapping"], times["with_stack"]),
            "x",
            1.0 if promised else None,
            f"with_stack itself: {stacks:.2f}x of nothing",
        ),
    ]


def _hook_rows() -> list[Row]:
    name = "hooks before the passes / nothing"
    try:
        times: dict[str, list[float]] = run_json(sys.executable, "hooks.py", str(HOOK_TURNS))
    except ToolError as error:
        return [skipped(name, str(error))]
    step = statistics.median(times["nothing"])
    # What passes in the hooks is measured by itself: the steps vary by more than that.
    ours, base = [step + ms for ms in times["own"]], [step] * HOOK_TURNS
    # On average: every few steps one tells how far it is, which takes as long as all the rest.
    mean = statistics.fmean(times["own"])
    note = (
        f"processor time: {mean * 1e3:.0f} us in the hooks (a usual step {between(ours, base)}), "
        f"{step:.1f} ms a step without. Whole steps, {HOOK_TURNS} pairs in turns: "
        f"{between(times['hooks'], times['nothing'])}"
    )
    return [Row(name, 1 + mean / step, "x", HOOKS_LIMIT, note)]
