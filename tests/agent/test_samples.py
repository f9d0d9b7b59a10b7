"""Every sample is profiled for real; its hints must stand on the lines that its comments mark.

``# expect: <rule>`` must carry that hint on a machine without a GPU; ``# expect-cuda: <rule>`` may
carry it there, as a hint that could not be measured. Nothing else may carry any.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.attribution.check import self_check
from stepscope.diagnosis.engine import diagnose
from stepscope.diagnosis.finding import Severity
from stepscope.diagnosis.prepare import prepare_facts
from stepscope.fixes import apply_edits, fix_for
from stepscope.pipeline import profile_target
from stepscope.report.model import Report
from stepscope.session.model import CancelToken, ProfileRequest
from stepscope.session.run import captured
from stepscope.timeline.from_capture import load_timeline

pytestmark = pytest.mark.agent

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
# vit/model.py only defines what vit/train.py trains.
SCRIPTS = sorted(path for path in SAMPLES.rglob("*.py") if path.name != "model.py")
_MARK = re.compile(r"# (expect|expect-cuda): ([a-z0-9-]+)")


def marks(root: Path, word: str) -> set[tuple[str, int, str]]:
    """(file, line, rule) of every mark below a script's folder."""
    files = [root] if root.parent == SAMPLES else sorted(root.parent.glob("*.py"))
    return {
        (str(file), number, found.group(2))
        for file in files
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for found in _MARK.finditer(text)
        if found.group(1) == word
    }


def profile(script: Path) -> Report:
    request = ProfileRequest(script, cwd=script.parent, steps=5, warmup=4, timeout_s=120)
    return profile_target(request, lambda _: None, lambda _: None, CancelToken())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_hints_stand_where_the_sample_expects_them(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More threads than free cores make a step wait for its own threads.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    report = profile(script)
    found = {(h.finding.file, h.finding.line, h.finding.rule) for h in report.hints}
    unmeasured = {
        (h.finding.file, h.finding.line, h.finding.rule)
        for h in report.hints
        if h.finding.severity is Severity.HINT
    }
    assert found - unmeasured == marks(script, "expect")
    assert unmeasured <= marks(script, "expect-cuda")
    assert self_check(report.profile) == []
    assert report.profile.notes == ()
    assert report.profile.coverage.work > 0.99


def test_autocast_is_found_where_bfloat16_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real run of the sample, on a processor said to multiply bfloat16 four times faster."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    script = SAMPLES / "tabular.py"
    request = ProfileRequest(script, cwd=SAMPLES, steps=3, warmup=2, timeout_s=120)
    with captured(request, lambda _: None, lambda _: None, CancelToken()) as capture:
        timeline = load_timeline(capture)
    timeline.facts["peaks"]["bfloat16"] = 4 * timeline.facts["peaks"]["float32"]
    attributed = attribute(timeline)
    (finding,) = diagnose(prepare_facts(attributed)).findings
    assert {(finding.file, finding.line, finding.rule)} == marks(script, "expect-cuda")
    assert finding.gain_ms is not None
    assert 0 < finding.gain_ms[1] < attributed.profile.step_ms.median
    source = script.read_text(encoding="utf-8")
    fix = fix_for(finding, source, finding.line)
    assert fix is not None
    assert 'with torch.autocast(device_type="cpu", dtype=torch.bfloat16):' in apply_edits(
        source, fix.edits
    )


def test_there_are_enough_kinds_of_samples() -> None:
    assert len(SCRIPTS) >= 5
