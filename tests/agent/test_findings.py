"""Programs that do what they should not: each finding stands on the line that says so.

``# expect: <rule>`` marks the lines. Both are run for real; what a GPU would show is a hint.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from stepscope.diagnosis.finding import Severity
from stepscope.pipeline import profile_target
from stepscope.report.model import Report
from stepscope.session.model import CancelToken, ProfileRequest

pytestmark = pytest.mark.agent

PROGRAMS = Path(__file__).parent / "programs"
_MARK = re.compile(r"# expect: ([a-z0-9-]+)")
UNMEASURED = {
    "cpu-made-tensor",
    "data-dependent-shape",
    "empty-cache",
    "many-item-reads",
    "tensor-as-bool",
    "type-round-trip",
}


def profile(name: str, folder: Path, steps: int, monkeypatch: pytest.MonkeyPatch) -> Report:
    # More threads than free cores make a step wait for its own threads.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    script = folder / name
    shutil.copy(PROGRAMS / name, script)
    request = ProfileRequest(script, cwd=folder, steps=steps, warmup=3, timeout_s=120)
    return profile_target(request, lambda _: None, lambda _: None, CancelToken())


def marks(name: str) -> set[tuple[int, str]]:
    lines = (PROGRAMS / name).read_text(encoding="utf-8").splitlines()
    return {(n, rule) for n, line in enumerate(lines, 1) for rule in _MARK.findall(line)}


# What else is found beside more processes than cores is a matter of how busy the machine is.
LOADING = {
    "persistent-workers",
    "short-prefetch",
    "slow-collate",
    "slow-transform",
    "too-many-workers",
    "unbalanced-workers",
}


@pytest.mark.parametrize(
    ("name", "steps", "about"),
    [("beside_the_model.py", 5, None), ("slow_loading.py", 14, LOADING)],
)
def test_every_finding_is_on_its_marked_line_and_nowhere_else(
    name: str, steps: int, about: set[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = profile(name, tmp_path, steps, monkeypatch)
    every = [hint.finding for hint in report.hints]
    found = [finding for finding in every if about is None or finding.rule in about]
    assert {(finding.line, finding.rule) for finding in found} == marks(name)
    hints = {finding.rule for finding in found if finding.severity is Severity.HINT}
    assert hints == UNMEASURED & {finding.rule for finding in found}
    step = report.profile.step_ms
    assert step is not None
    for finding in found:
        if finding.gain_ms is not None:
            assert (
                0 <= finding.gain_ms[0] <= finding.gain_ms[1] <= max(step.median, step.mean or 0.0)
            )
            assert finding.gain_source
