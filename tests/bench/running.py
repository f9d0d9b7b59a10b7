"""Runs of scripts and tools in processes of their own, quiet and single-threaded."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).with_name("scripts")
COMMAND = ROOT / "extension" / "server" / "launch.py"
LONGEST_S = 300.0
CONDITIONS = {
    "OMP_NUM_THREADS": "1",
    # Else it depends on what else is alive whether a tensor's memory goes back to the system after
    # each use and is fetched again page by page: alone it costs twice what it does in a step.
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(4 << 30),
    "MALLOC_TOP_PAD_": str(1 << 28),
}
"""Set for everything that is measured, by ``__main__`` for the processes that Stepscope starts."""


class ToolError(RuntimeError):
    """A process that was to be measured did not end well; the message is its last words."""


def environment(*python_path: Path) -> dict[str, str]:
    """One thread per process: the machine may be shared, and ratios need equal conditions."""
    path = os.pathsep.join(str(folder) for folder in (ROOT / "pyserver", ROOT, *python_path))
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, **CONDITIONS, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}


def run(command: Sequence[str | Path], *python_path: Path) -> tuple[str, float]:
    """(standard output, seconds of wall time). Raises ``ToolError``."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [str(part) for part in command],
            env=environment(*python_path),
            cwd=SCRIPTS,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(str(error)) from None
    seconds = time.perf_counter() - start
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise ToolError(f"{Path(command[0]).name} ended with {done.returncode}: {words[-1]}")
    return done.stdout, seconds


def run_timed(command: Sequence[str | Path]) -> tuple[float, float, float]:
    """Seconds to its first output, to its end, and of processor time with all that it waited for.

    Raises ``ToolError``.
    """
    before = os.times()
    start = time.perf_counter()
    with subprocess.Popen(
        [str(part) for part in command],
        env=environment(),
        cwd=SCRIPTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read(1)
        first = time.perf_counter() - start
        process.stdout.read()
        status = process.wait()
        whole = time.perf_counter() - start
    if status or not said:
        raise ToolError(f"{Path(command[0]).name} ended with {status}")
    after = os.times()
    cpu = after.children_user + after.children_system
    return first, whole, cpu - before.children_user - before.children_system


def run_json(python: str | Path, script: str, *arguments: str) -> Any:
    """The JSON that a script of ours prints as its last line."""
    output, _ = run([python, SCRIPTS / script, *arguments])
    return json.loads(output.strip().splitlines()[-1])


def other_python() -> Path | None:
    """An interpreter with ``sys.monitoring`` and torch, made by ``npm run test:matrix``."""
    for minor in (13, 14, 12):
        python = ROOT / f".venv-3.{minor}" / "bin" / "python"
        if python.exists():
            try:
                run([python, "-c", "import torch"])
            except ToolError:
                continue
            return python
    return None


def median_ratio(ours: Sequence[float], base: Sequence[float]) -> float:
    """Median of the ratios of neighbours in time: what slows the machine slows both."""
    return statistics.median(a / b for a, b in zip(ours, base, strict=True))


def between(ours: Sequence[float], base: Sequence[float]) -> str:
    """In which range ``median_ratio`` lies with 95 % certainty, by the ranks of the ratios."""
    ratios = sorted(a / b for a, b in zip(ours, base, strict=True))
    half = 0.98 * len(ratios) ** 0.5  # 1.96 standard deviations of a rank
    low = max(0, int(len(ratios) / 2 - half))
    high = min(len(ratios) - 1, int(len(ratios) / 2 + half))
    return f"{ratios[low]:.3f} to {ratios[high]:.3f}x"


def spread(values: Sequence[float], unit: str = "ms") -> str:
    """Lowest to highest, for a note."""
    return f"{min(values):.2f} to {max(values):.2f} {unit}"


def version_of(python: str | Path) -> str:
    """``3.11`` of an interpreter."""
    if str(python) == sys.executable:
        return f"{sys.version_info[0]}.{sys.version_info[1]}"
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return run([python, "-c", code])[0].strip()
