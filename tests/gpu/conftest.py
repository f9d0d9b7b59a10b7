"""Runs of small scripts on a real card. Without one, each check says why it was left out."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stepscope.attribution.check import self_check
from stepscope.attribution.model import LineCost, Profile
from stepscope.pipeline import profile_target
from stepscope.session.model import CancelToken, ProfileRequest

_ASK = """
import torch
if torch.version.cuda is None and torch.version.hip is None:
    print(f"torch {torch.__version__} is a build without CUDA")
elif not torch.cuda.is_available():
    print("this machine has no CUDA device that torch can use")
"""


@dataclass(slots=True)
class Result:
    """A profile of a script, and the JSON lines that the script printed."""

    profile: Profile
    source: str
    said: list[dict[str, Any]] = field(default_factory=list)

    def line(self, mark: str) -> LineCost:
        """The cost of the line that ends in ``# mark``."""
        numbers = [
            number
            for number, text in enumerate(self.source.splitlines(), 1)
            if text.endswith(f"# {mark}")
        ]
        (number,) = numbers
        (found,) = [line for line in self.profile.lines if line.line == number]
        return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a card."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(scope="session")
def no_card() -> str | None:
    """Why there is no card to test on; None where there is one."""
    asked = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _ASK], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        return "torch could not be imported: " + asked.stderr.strip().splitlines()[-1]
    return asked.stdout.strip() or None


@pytest.fixture
def run(no_card: str | None, tmp_path: Path) -> Any:
    """Profile a script; its report must not contradict itself."""
    if no_card is not None:
        pytest.skip(no_card)

    def profiled(source: str, steps: int | None = None) -> Result:
        path = tmp_path / "script.py"
        path.write_text(source, encoding="utf-8")
        output: list[bytes] = []
        request = ProfileRequest(path, python=sys.executable, cwd=tmp_path, steps=steps)
        report = profile_target(request, lambda _: None, output.append, CancelToken())
        said = [
            json.loads(text)
            for text in b"".join(output).decode().splitlines()
            if text.startswith("{")
        ]
        assert self_check(report.profile) == []
        assert report.profile.run.device.startswith("cuda:0")
        return Result(report.profile, source, said)

    return profiled
