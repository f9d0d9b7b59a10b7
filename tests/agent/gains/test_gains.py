"""Programs with one planted fault each: what its fix saves lies in the range that was claimed.

Each program is profiled, its fix is made, and both versions run in turns in one process. What is
planted says how much the fix has to save at least, so that a fix without effect does not pass.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from stepscope.diagnosis.finding import Finding
from stepscope.fixes import apply_edits, fix_for
from tests.agent.forked import Small, record

pytestmark = [pytest.mark.agent, pytest.mark.slow, pytest.mark.alone]

HERE = Path(__file__).parent
_MARK = re.compile(r"  # expect(?:-hint)?: ([a-z-]+)$", re.MULTILINE)
_USUAL_SPREAD = 0.05
"""Of the step: what the profiled run and the measured one differ by on a machine of their own."""


@dataclass(frozen=True)
class Fault:
    """A program and what its fix must do.

    ``saves``: the least share of the step, by what is planted; None: nothing is claimed, and
    nothing may be lost. ``steps``: in a block, whole epochs. ``tolerance``: of the losses.
    """

    program: str
    saves: float | None
    steps: int = 24
    tolerance: float = 0.0


FAULTS = {
    # 12 ms of reading beside some 10 ms of training, of which one worker hides nearly all it can.
    "slow-input": Fault("slow_input.py", 0.25),
    # Starting a worker takes several steps, and an epoch has six.
    "persistent-workers": Fault("anew.py", 0.3, steps=48),
    # Every eighth batch comes 50 ms late, 6 ms per step of 20.
    "short-prefetch": Fault("uneven.py", 0.05, steps=48),
    "too-many-workers": Fault("crowd.py", None, steps=160),
    "gc-in-step": Fault("garbage.py", 0.5),
    "gc-pauses": Fault("pauses.py", 0.2, steps=40),
    "log-every-step": Fault("logs.py", 0.2),
    "redundant-clone": Fault("copies.py", 0.05),
    # The number of threads orders the sums.
    "thread-count": Fault("threads.py", None, tolerance=1e-4),
    # What only a GPU is waited for costs nothing here, and neither does the fix.
    "type-round-trip": Fault("asks_the_host.py", None),
    "sync-in-step": Fault("asks_the_host.py", None, tolerance=1e-6),
    # oneDNN adds the bias while it computes the convolution, so on the CPU it is not told apart.
    "conv-bias": Fault("norm.py", None, tolerance=1e-3),
}
NOT_ON_THIS_DEVICE = {
    "channels-last": "the rule is about tensor cores, and silent on a CPU",
    "autocast": "the rule is silent on a CPU that multiplies bfloat16 no faster than float32",
}
"""Two more fixes run on a CPU; that they leave the losses as they were is shown in ``equal``."""


@dataclass(frozen=True)
class Measured:
    """Of one fault: the finding, the profiled step (ms), times (ms) and losses of both versions."""

    finding: Finding
    step_ms: float
    before: list[float]
    after: list[float]
    losses: tuple[list[float], list[float]]

    @property
    def saved(self) -> float:
        """Share of the step that the fix saves."""
        return 1 - statistics.median(self.after) / statistics.median(self.before)

    @property
    def spread(self) -> float:
        """By how much that may be off: the quartiles of both versions' blocks."""
        middle = statistics.median(self.before)
        widths = [(q[2] - q[0]) / middle for q in map(_quartiles, (self.before, self.after))]
        return _USUAL_SPREAD + sum(widths)


def _quartiles(values: list[float]) -> list[float]:
    return statistics.quantiles(values, n=4, method="inclusive")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    folder = tmp_path_factory.mktemp("gains")
    paths = sorted((HERE / "programs").glob("*.py"))
    runs = {
        run.program.path.name: run
        for run in record([Small(path) for path in paths], folder, steps=30)
    }
    findings: dict[str, Finding] = {}
    pairs: dict[str, tuple[str, str, int]] = {}
    for rule, fault in FAULTS.items():
        path = HERE / "programs" / fault.program
        marked = path.read_text(encoding="utf-8")
        said = [f for f in runs[fault.program].findings if f.rule == rule]
        assert len(said) == 1, (rule, [f.rule for f in runs[fault.program].findings])
        finding = said[0]
        lines = [n for n, line in enumerate(marked.splitlines(), 1) if rule in _MARK.findall(line)]
        assert lines == [finding.line], rule
        findings[rule] = finding
        text = _MARK.sub("", marked)  # no edit may swallow a comment
        fix = fix_for(finding, text, finding.line)
        assert fix is not None, rule
        assert fix.edits, rule
        versions = [folder / f"{rule}-{word}.py" for word in ("before", "after")]
        for version, code in zip(versions, (text, apply_edits(text, fix.edits)), strict=True):
            version.write_text(code, encoding="utf-8")
        pairs[rule] = (str(versions[0]), str(versions[1]), fault.steps)
    out = folder / "measured.json"
    command = [sys.executable, str(HERE / "measure.py"), str(out), json.dumps(pairs)]
    subprocess.run(command, check=True, timeout=900)
    found = {}
    for rule, result in json.loads(out.read_text(encoding="utf-8")).items():
        before, after = ([1e3 * seconds for seconds in times] for times in result["times"])
        step = runs[FAULTS[rule].program].attributed.profile.step_ms
        found[rule] = Measured(
            findings[rule], step.mean or step.median, before, after, tuple(result["losses"])
        )
    return found


@pytest.mark.parametrize("rule", FAULTS)
def test_the_fix_saves_what_was_claimed(rule: str, measured: dict[str, Measured]) -> None:
    fault, found = FAULTS[rule], measured[rule]
    saved, spread = found.saved, found.spread
    print(
        f"{rule}: step {found.step_ms:.2f} ms when profiled; {statistics.median(found.before):.2f} "
        f"-> {statistics.median(found.after):.2f} ms, saves {saved:.3f}, spread {spread:.3f}, "
        f"claimed {found.finding.gain_ms}"
    )
    if fault.saves is None:
        assert found.finding.gain_ms is None
        assert saved >= -spread
        return
    assert found.finding.gain_ms is not None
    low, high = (ms / found.step_ms for ms in found.finding.gain_ms)
    assert low - spread <= saved <= high + spread, (low, saved, high, spread)
    assert saved >= fault.saves


@pytest.mark.parametrize("rule", FAULTS)
def test_the_first_losses_stay_as_they_were(rule: str, measured: dict[str, Measured]) -> None:
    before, after = measured[rule].losses
    assert after == pytest.approx(before, rel=FAULTS[rule].tolerance, abs=0.0)
