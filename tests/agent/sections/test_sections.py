"""Small programs with one fault each: the rule stands on the marked line, and nothing else does.

``# expect: <rule>`` must carry that finding, ``# expect-hint: <rule>`` one that was not measured.
Where the fix can act on the CPU it is made, and both versions run in one process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stepscope.diagnosis.finding import Severity
from stepscope.fixes import apply_edits, fix_for
from tests.agent.forked import Recorded, Small, record

pytestmark = pytest.mark.agent

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
_MARK = re.compile(r"# (expect|expect-hint): ([a-z-]+)$")
_ANY_MARK = re.compile(r"  # expect(-hint)?: [a-z-]+$", re.MULTILINE)
# Rules whose edit shortens a step on the CPU, and where. The loss of the first steps stays equal.
MEASURED = {
    "unfused-attention": "unfused.py",
    "optimizer-fused": "optimizers.py",
    "clip-grad-loop": "optimizers.py",
    "optimizer-foreach": "foreach.py",
    "anomaly-mode": "anomaly.py",
    "bucket-view": "one_rank.py",
}
_SPREAD = 0.2
"""Of the step: what two measurements on a busy machine differ by."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    folder = tmp_path_factory.mktemp("captures")
    runs = record([Small(path) for path in PROGRAMS], folder, steps=5)
    return {run.program.path.name: run for run in runs}


def marks(path: Path, word: str) -> set[tuple[int, str]]:
    return {
        (number, found.group(2))
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := _MARK.search(text)) and found.group(1) == word
    }


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_findings_stand_on_the_marked_lines(path: Path, recorded: dict[str, Recorded]) -> None:
    findings = recorded[path.name].findings
    hints = {(f.line, f.rule) for f in findings if f.severity is Severity.HINT}
    said = {(f.line, f.rule) for f in findings} - hints
    words = [f"{f.line} {f.rule}: {f.message} {dict(f.evidence)}" for f in findings]
    assert said == marks(path, "expect"), words
    assert hints == marks(path, "expect-hint"), words


@pytest.fixture(scope="module")
def measured(
    recorded: dict[str, Recorded], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, list[float]]]:
    """Per rule, the step's times (s) and losses before and after its fix, from one process."""
    folder = tmp_path_factory.mktemp("fixed")
    pairs = {}
    for rule, name in MEASURED.items():
        (finding,) = [f for f in recorded[name].findings if f.rule == rule]
        text = (HERE / "programs" / name).read_text(encoding="utf-8")
        text = _ANY_MARK.sub("", text)  # no edit may swallow a comment
        before = folder / f"{rule}-before.py"
        before.write_text(text, encoding="utf-8")
        fix = fix_for(finding, text, finding.line)
        assert fix is not None
        assert fix.edits
        after = folder / f"{rule}.py"
        after.write_text(apply_edits(text, fix.edits), encoding="utf-8")
        pairs[rule] = [str(before), str(after)]
    made = subprocess.run(
        [sys.executable, str(HERE / "before_and_after.py"), json.dumps(pairs)],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    found: dict[str, dict[str, list[float]]] = json.loads(made.stdout)
    return found


@pytest.mark.alone
@pytest.mark.slow  # it measures both versions, which a busy machine would decide
@pytest.mark.parametrize("rule", MEASURED)
def test_the_fix_saves_what_it_claims_and_keeps_the_loss(
    rule: str, recorded: dict[str, Recorded], measured: dict[str, dict[str, list[float]]]
) -> None:
    run = recorded[MEASURED[rule]]
    (finding,) = [f for f in run.findings if f.rule == rule]
    result = measured[rule]
    assert result["after_loss"] == pytest.approx(result["before_loss"], rel=1e-3)
    if finding.gain_ms is None:
        return  # it saves memory: no time was promised
    saved = 1 - min(result["after_s"]) / min(result["before_s"])
    step = run.attributed.profile.step_ms.median
    low, high = finding.gain_ms[0] / step, finding.gain_ms[1] / step
    assert low - _SPREAD <= saved <= high + _SPREAD, (low, saved, high)
