"""Two other line profilers on the same sample: what they cost it, and where backward shows."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepscope.session.model import Failure
from tests.bench.ours import profile as profile_of
from tests.bench.running import ROOT, SCRIPTS, ToolError, median_ratio, run
from tests.bench.table import Row, skipped
from tests.bench.tools import install

TOOLS = ROOT / "build" / "bench-tools"
REQUIREMENTS = ROOT / "requirements" / "bench.txt"
SCRIPT = SCRIPTS / "mlp.py"
STEPS = "100"
TURNS = 2
# The function that is one step; what is before it (importing, building) is not asked for.
_STEP = "step"

Line = tuple[int, str, float]
"""Number, text, share of the step's lines in per cent."""


def rows() -> list[Row]:
    """Overhead and the line named for backward, for each tool that can be installed."""
    reason = install(TOOLS, REQUIREMENTS)
    if reason is not None:
        return [skipped(name, reason) for name in ("Scalene", "line_profiler")]
    found = []
    tools: dict[str, Callable[[Path], tuple[float, list[Line]]]] = {
        "Scalene": _scalene,
        "line_profiler": _line_profiler,
    }
    with tempfile.TemporaryDirectory(prefix="stepscope-bench-") as folder:
        for name, tool in tools.items():
            found += _compare(name, tool, Path(folder))
    return [*found, _ours()]


def _compare(
    name: str, tool: Callable[[Path], tuple[float, list[Line]]], folder: Path
) -> list[Row]:
    own: list[float] = []
    under: list[float] = []
    lines: list[Line] = []
    try:
        for _ in range(TURNS):
            own.append(_step_ms(run([sys.executable, SCRIPT, STEPS])[0]))
            ms, lines = tool(folder)
            under.append(ms)
    except (ToolError, OSError, ValueError, KeyError) as error:
        return [skipped(name, f"{type(error).__name__}: {error}")]
    named = [line for line in lines if "backward" in line[1]]
    number, text, share = max(named or lines, key=lambda line: line[2])
    note = f"backward is on line {number}, `{text}`: {share:.0f} % of the step"
    return [Row(f"{name}: a step under it / without", median_ratio(under, own), "x", None, note)]


def _ours() -> Row:
    """The lines that our report names for backward."""
    try:
        own = _step_ms(run([sys.executable, SCRIPT, STEPS])[0])
        profile = profile_of(SCRIPT, "400")
    except (ToolError, Failure) as error:
        return skipped("Stepscope", str(error))
    top = sorted(profile.lines, key=lambda line: -line.backward_ms)[:3]
    source = SCRIPT.read_text(encoding="utf-8").splitlines()
    named = ", ".join(
        f"{line.line} `{source[line.line - 1].strip()}` "
        f"({100 * line.backward_ms / profile.step_ms.median:.0f} %)"
        for line in top
    )
    ratio = profile.step_ms.median / own
    what = "Stepscope: a step of its clean pass / without"
    return Row(what, ratio, "x", None, f"backward is on its forward lines: {named}")


def _step_ms(output: str) -> float:
    """What the sample says of itself, somewhere in the output."""
    found = re.search(r'\{"step_ms": [^}]*\}', output)
    if found is None:
        raise ToolError("the sample did not print its step time")
    return float(json.loads(found[0])["step_ms"])


def _scalene(folder: Path) -> tuple[float, list[Line]]:
    out = folder / "scalene.json"
    command = [sys.executable, "-m", "scalene", "run", "--cpu-only", "-o", str(out), str(SCRIPT)]
    output, _ = run([*command, "---", STEPS], TOOLS)
    report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    lines = []
    for path, file in report["files"].items():
        if Path(path).name != SCRIPT.name:
            continue
        for line in file["lines"]:
            names = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")
            lines.append((line["lineno"], line["line"].strip(), sum(line[n] for n in names)))
    inside = [line for line in lines if "optim.SGD" not in line[1]]
    whole = sum(share for _, _, share in inside) or 1.0
    return _step_ms(output), [(n, text, 100 * share / whole) for n, text, share in inside]


def _line_profiler(folder: Path) -> tuple[float, list[Line]]:
    options = ["--no-config", "-l", "-v", "-p", str(SCRIPT), "-o", str(folder / "lines.lprof")]
    output, _ = run([sys.executable, "-m", "kernprof", *options, str(SCRIPT), STEPS], TOOLS)
    lines: list[Line] = []
    function = ""
    for text in output.splitlines():
        if text.startswith("Function: "):
            function = text.split()[1].rpartition(".")[2]
        row = re.match(r"\s*(\d+)\s+\d+\s+[\d.]+\s+[\d.]+\s+([\d.]+)  (.*)", text)
        if row and function == _STEP:
            lines.append((int(row[1]), row[3].strip(), float(row[2])))
    if not lines:
        raise ToolError("its output has no line of the step")
    return _step_ms(output), lines
