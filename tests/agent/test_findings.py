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


@pytest.mark.parametrize(("name", "steps"), [("beside_the_model.py", 5), ("slow_loading.py", 14)])
def test_every_finding_is_on_its_marked_line_and_nowhere_else(
    name: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = profile(name, tmp_path, steps, monkeypatch)
    found = [hint.finding for hint in report.hints]
    assert {(finding.line, finding.rule) for finding in found} == marks(name)
    hints = {finding.rule for finding in found if finding.severity is Severity.HINT}
    assert hints == UNMEASURED & {finding.rule for finding in found}
    step = report.profile.step_ms
    assert step is not None
    for finding in found:
        if finding.gain_ms is not None:
            assert 0 <= finding.gain_ms[0] <= finding.gain_ms[1] <= step.median
            assert finding.gain_source
