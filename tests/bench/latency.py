"""How long a person waits: after the last step for the report, and for the whole run."""

from __future__ import annotations

import io
import statistics
import sys
import time
from dataclasses import dataclass, field
from operator import add
from pathlib import Path

from stepscope.agent.capture import read_capture
from stepscope.analysis import analyse
from stepscope.attribution.attribute import attribute
from stepscope.diagnosis.engine import diagnose
from stepscope.diagnosis.prepare import prepare_facts
from stepscope.report.model import Report
from stepscope.session.model import Failure
from stepscope.terminal.render import make_console, render_report
from stepscope.timeline.from_capture import build_timeline
from tests.bench.ours import capture as capture_of
from tests.bench.running import COMMAND, SCRIPTS, ToolError, run_timed, spread
from tests.bench.table import Row, skipped

MANY_OPS = SCRIPTS / "many_ops.py"
SCRIPT = SCRIPTS / "mlp.py"
TURNS = 3
RUNS = 3
REPORT_LIMIT_S = 2.0
RUN_LIMIT_S = 3.0


@dataclass(slots=True)
class _Parts:
    """Seconds of each part, one number per turn."""

    events: int = 0
    whole: list[float] = field(default_factory=list)
    agent: list[float] = field(default_factory=list)
    agent_cpu: list[float] = field(default_factory=list)
    own_cpu: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)


def report_rows() -> list[Row]:
    """From the last captured step to the report on screen."""
    parts = _Parts()
    try:
        for _ in range(TURNS):
            _one_report(parts)
    except Failure as failure:
        return [skipped("last step to report", str(failure), REPORT_LIMIT_S, "s")]
    stages = ", ".join(
        f"{name} {statistics.median(seconds):.2f}" for name, seconds in parts.stages.items()
    )
    note = f"{parts.events} operator events; median and all of {TURNS}: " + ", ".join(
        f"{seconds:.2f}" for seconds in parts.whole
    )
    return [
        Row(
            "from the last captured step to the report on screen",
            statistics.median(parts.whole),
            "s",
            REPORT_LIMIT_S,
            note,
        ),
        Row(
            "  processor time for it, in the target's process and ours",
            statistics.median(map(add, parts.agent_cpu, parts.own_cpu)),
            "s",
            None,
            f"{statistics.median(parts.agent_cpu):.2f} and {statistics.median(parts.own_cpu):.2f}; "
            "the rest of the wall time was spent waiting for a processor",
        ),
        Row(
            "  of it in the target's process",
            statistics.median(parts.agent),
            "s",
            None,
            "stop the profiler, read its events, write the capture",
        ),
        Row(
            "  of it in ours",
            statistics.median(parts.whole) - statistics.median(parts.agent),
            "s",
            None,
            f"done again by itself: {stages}",
        ),
    ]


def _one_report(parts: _Parts) -> None:
    with capture_of(MANY_OPS) as path:
        written, cpu = time.time_ns(), time.process_time()
        report = analyse(path)
        _draw(report)
        done = time.time_ns()
        parts.own_cpu.append(time.process_time() - cpu)
        capture = read_capture(str(path))
        parts.agent_cpu.append(capture.facts["reading_cpu_s"])
        last = capture.windows[-1].ticks[-1]
        parts.whole.append((done - last) / 1e9)
        parts.agent.append((written - last) / 1e9)
        _stages(path, parts)


def _stages(path: Path, parts: _Parts) -> None:
    """The parts of ``analyse`` and of drawing, one by one."""

    def lap(name: str, start: float) -> float:
        now = time.perf_counter()
        parts.stages.setdefault(name, []).append(now - start)
        return now

    clock = time.perf_counter()
    capture = read_capture(str(path))
    clock = lap("read", clock)
    timeline = build_timeline(capture)
    clock = lap("lines", clock)
    attributed = attribute(timeline)
    clock = lap("attribute", clock)
    diagnose(prepare_facts(attributed))
    clock = lap("diagnose", clock)
    report = analyse(path)
    clock = time.perf_counter()
    _draw(report)
    lap("draw", clock)
    parts.events = sum(len(r.ops) for r in timeline.recordings if r.ops is not None)


def _draw(report: Report) -> None:
    render_report(report, make_console(io.StringIO(), width=120))


def run_rows() -> list[Row]:
    """The report on screen, and the end of the command, beside the script alone."""
    first, whole, cpu = [], [], []
    shown, own = [], []
    try:
        warmup, steps = _steps_of_a_run()
        for _ in range(RUNS):
            steady = run_timed([sys.executable, SCRIPT, str(warmup)])
            alone = run_timed([sys.executable, SCRIPT, str(steps)])
            ours = run_timed([sys.executable, COMMAND, "run", "--quiet", SCRIPT, "1000"])
            shown.append(ours[0])
            own.append(steady[0])
            first.append(ours[0] - steady[0])
            whole.append(ours[1] - alone[1])
            cpu.append(ours[2] - alone[2])
    except (ToolError, Failure) as error:
        return [skipped("whole run", str(error), RUN_LIMIT_S, "s")]
    return [
        Row(
            "from the command to the report, beyond the script's own way to its steady steps",
            statistics.median(first),
            "s",
            RUN_LIMIT_S,
            f"{spread(first, 's')} in {RUNS} pairs; {statistics.median(shown):.1f} s with us, "
            f"{statistics.median(own):.1f} s for the script's first {warmup} steps",
        ),
        Row(
            "`stepscope run` to its end, beyond the script with as many steps",
            statistics.median(whole),
            "s",
            None,
            f"{spread(whole, 's')}; {steps} steps. Processor time beyond the script's: "
            f"{spread(cpu, 's')}",
        ),
    ]


def _steps_of_a_run() -> tuple[int, int]:
    """How many steps the target makes until they are steady, and until we stop it."""
    with capture_of(SCRIPT, "1000") as path:
        capture = read_capture(str(path))
    recorded = sum(len(window.ticks) - 1 for window in capture.windows)
    warmup = int(capture.facts["warmup"]) + 1
    return warmup, recorded + warmup
