"""Fixes on the CPU that must not change what is computed: the first losses stay as they were."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stepscope.fixes import apply_edits, fix_for
from tests.unit.fixes.check import finding

# The fixes themselves have tests of their own, so this is left to the matrix.
pytestmark = [pytest.mark.agent, pytest.mark.slow]

HERE = Path(__file__).parent
_MARK = re.compile(r"# fix: (.+)$")
EVIDENCE: dict[str, dict[str, Any]] = {
    "slow-input": {"workers": 2},
    "too-many-workers": {"workers": 1},
    "short-prefetch": {"wanted": 4},
    "autocast": {"device": "cpu"},
    "thread-count": {"wanted": 2},
}
# As a part of the losses: another order of sums, and for autocast the 8 bits of bfloat16.
TOLERANCE = {
    "conv-bias": 1e-4,
    "channels-last": 1e-5,
    "thread-count": 1e-5,
    "sync-in-step": 1e-6,
    "autocast": 2e-2,
}
MARKED = [
    (program, rule, number)
    for program in sorted((HERE / "programs").glob("*.py"))
    for number, line in enumerate(program.read_text(encoding="utf-8").splitlines(), 1)
    if (found := _MARK.search(line))
    for rule in found.group(1).split()
]


@pytest.fixture(scope="module")
def losses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """Of each program as it is, and after each of its fixes alone: by file name or by rule."""
    folder = tmp_path_factory.mktemp("versions")
    for program, rule, line in MARKED:
        text = program.read_text(encoding="utf-8")
        fix = fix_for(finding(rule, line, **EVIDENCE.get(rule, {})), text, line)
        assert fix is not None
        assert fix.edits, rule
        (folder / rule).with_suffix(".py").write_text(apply_edits(text, fix.edits), "utf-8")
    versions = sorted((HERE / "programs").glob("*.py")) + sorted(folder.glob("*.py"))
    out = folder / "losses.json"
    command = [sys.executable, str(HERE / "first_losses.py"), str(out), *map(str, versions)]
    subprocess.run(command, check=True, timeout=200)
    found = json.loads(out.read_text(encoding="utf-8"))
    return {Path(path).stem: values for path, values in found.items()}


@pytest.mark.parametrize(("program", "rule"), [(program, rule) for program, rule, _ in MARKED])
def test_the_first_losses_stay_as_they_were(
    program: Path, rule: str, losses: dict[str, list[float]]
) -> None:
    before = losses[program.stem]
    assert len(set(before)) >= 4  # the model learns
    assert losses[rule] == pytest.approx(before, rel=TOLERANCE.get(rule, 0.0), abs=0.0)
