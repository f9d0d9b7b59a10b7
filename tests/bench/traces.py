"""Opening recorded traces: beside two other tools on real ones, and alone on large made ones.

Whole processes are measured, from start to a finished report: processor time and peak memory.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.bench.made_trace import make_trace
from tests.bench.running import COMMAND, ROOT, SCRIPTS, ToolError, environment
from tests.bench.table import Row, skipped
from tests.bench.tools import install

TOOLS = ROOT / "build" / "bench-traces"
REQUIREMENTS = ROOT / "requirements" / "bench-traces.txt"
RECORDED = ROOT.parent / "shared" / "traces"
SIZES_MB = (10, 100, 1000)
TURNS = 3


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time in seconds, peak of resident memory in MB."""

    seconds: float
    megabytes: float


def rows() -> list[Row]:
    """The tools side by side on each recorded trace, then growth on made ones."""
    return [*_beside_others(), *_growth()]


def _beside_others() -> list[Row]:
    traces = sorted(RECORDED.glob("*.json.gz"))
    if not traces:
        return [skipped("recorded traces", f"there are none in {RECORDED}")]
    reason = install(TOOLS, REQUIREMENTS)
    if reason is not None:
        return [skipped(name, reason) for name in ("HolisticTraceAnalysis", "torch-tb-profiler")]
    found = []
    for trace in traces:
        tools = {"ours": _ours(trace), "HTA": _other("hta", trace), "TB": _other("tb", trace)}
        costs: dict[str, list[Cost]] = {name: [] for name in tools}
        failed: dict[str, str] = {}
        for _ in range(TURNS):
            for name, command in tools.items():
                try:
                    costs[name].append(measure(command))
                except ToolError as error:
                    failed[name] = str(error)
        found += _compare(trace.name.removesuffix(".json.gz"), costs, failed)
    return found


def _compare(name: str, costs: dict[str, list[Cost]], failed: dict[str, str]) -> list[Row]:
    if not costs["ours"]:
        return [skipped(name, failed["ours"])]
    ours = _median(costs["ours"])
    found = []
    for tool in ("HTA", "TB"):
        if not costs[tool]:
            found.append(skipped(f"{name}: ours / {tool}", failed[tool][:80]))
            continue
        other = _median(costs[tool])
        note = f"{ours.seconds:.2f} s and {ours.megabytes:.0f} MB, {tool} {other.seconds:.2f} s"
        note += f" and {other.megabytes:.0f} MB"
        time_ratio = ours.seconds / other.seconds
        found.append(Row(f"{name}: processor time, ours / {tool}", time_ratio, "x", 0.25, note))
        memory_ratio = ours.megabytes / other.megabytes
        found.append(Row(f"{name}: peak memory, ours / {tool}", memory_ratio, "x", 0.5))
    return found


def _growth() -> list[Row]:
    found = []
    rates = []
    with tempfile.TemporaryDirectory(prefix="stepscope-bench-") as folder:
        for size in SIZES_MB:
            path = Path(folder) / "made.json"
            steps = make_trace(path, size * 10**6)
            megabytes = path.stat().st_size / 1e6
            try:
                cost = measure(_ours(path))
            except ToolError as error:
                found.append(skipped(f"{size} MB made", str(error)))
                continue
            rates.append(cost.seconds / megabytes)
            what = f"{size} MB: seconds for 60 MB"
            note = f"{megabytes / cost.seconds:.0f} MB/s, {steps} steps"
            largest = size == max(SIZES_MB)
            seconds = 60 * cost.seconds / megabytes
            found.append(Row(what, seconds, "s", 1.0 if largest else None, note))
            ratio = cost.megabytes / megabytes
            found.append(
                Row(f"{size} MB: peak memory / file", ratio, "x", 2.0 if largest else None)
            )
        if len(rates) == len(SIZES_MB):
            growth = rates[-1] / rates[1]
            found.append(Row("seconds per MB, 1000 MB / 100 MB", growth, "x", 1.15, "1 is linear"))
    return found


def _median(costs: list[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.seconds for cost in costs),
        statistics.median(cost.megabytes for cost in costs),
    )


def _ours(trace: Path) -> list[str]:
    return [sys.executable, str(COMMAND), "open", str(trace), "--json", os.devnull]


def _other(tool: str, trace: Path) -> list[str]:
    return [sys.executable, str(SCRIPTS / "trace_rivals.py"), tool, str(trace)]


def measure(command: list[str]) -> Cost:
    """Run it alone. Raises ``ToolError``."""
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(
            command, env=environment(TOOLS), cwd=SCRIPTS, stdout=words, stderr=words
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            words.seek(0)
            said = words.read().decode(errors="replace").strip().splitlines() or ["no output"]
            raise ToolError(said[-1])
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
