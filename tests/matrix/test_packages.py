"""Packages of models from PyPI: for how many files a constructor and inputs are found.

vit-pytorch, timm and torchvision, searched as model-only files in a process each, with nothing
known of them. torchvision's native operators may be missing (``package_search.py`` says when, and
what it does about it): its files in ``models/`` define their models without them, those of
``models/detection`` do not and are left out, as are the folders below. vit-pytorch's README, which
documents most of its models, lies beside the package as in its repository.

A spread of the files is searched, the same each time. The rates are printed, and why a file is
not among those found.
"""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from tests.agent.conftest import quiet_machine

__all__ = ["quiet_machine"]
pytestmark = pytest.mark.agent

SEARCH = Path(__file__).with_name("package_search.py")
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = os.environ.get("STEPSCOPE_PACKAGES", "")
"""The folder in which scripts/matrix.mjs puts requirements/packages.txt."""

FILE_S, PACKAGE_S = 25.0, 1200.0
# A survey of 246 root classes found a constructor for so many, and inputs for so many of those.
CONSTRUCTOR, INPUTS = 0.72, 0.81


@dataclass(frozen=True)
class Rates:
    """Files by how far the search came; each group holds what was said of its files.

    ``not_here`` are those with an operator that torch has on other devices only.
    """

    found: list[str]
    not_here: list[str]
    no_inputs: list[str]
    no_constructor: list[str]
    no_module: list[str]
    failed: list[str]

    @property
    def constructor(self) -> float:
        """Of the files that define a module, the share whose model was made."""
        made = len(self.found) + len(self.no_inputs)
        return made / (made + len(self.no_constructor) + len(self.failed))

    @property
    def inputs(self) -> float:
        """Of the files whose model was made, the share that trained a step."""
        return len(self.found) / (len(self.found) + len(self.no_inputs))


def files_of(package: Path, share: int) -> list[Path]:
    """Every ``share``-th file of models in the folder, by name."""
    names = [path for path in sorted(package.glob("*.py")) if not path.name.startswith("_")]
    return names[::share]


def with_readme(packages: Path, name: str, folder: Path) -> Path:
    """A copy of the package in ``folder``, with the README that its metadata carries beside it."""
    (metadata,) = packages.glob(f"{name}-*.dist-info/METADATA")
    shutil.copytree(packages / name, folder / name)
    text = email.message_from_bytes(metadata.read_bytes()).get_payload(decode=True)
    assert isinstance(text, bytes)
    (folder / "README.md").write_bytes(text)
    return folder / name


def search(packages: Path, files: list[Path]) -> tuple[Rates, list[str]]:
    """How far it came with each file, and what was said of all."""
    done = subprocess.run(
        [sys.executable, str(SEARCH), str(FILE_S), *map(str, files)],
        capture_output=True,
        text=True,
        timeout=PACKAGE_S,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "pyserver", ROOT, packages))),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
    assert [answer["file"] for answer in answers] == [str(path) for path in files]
    rates = Rates(*([] for _ in fields(Rates)))
    for answer in answers:
        group(rates, answer).append(f"{Path(answer['file']).name}: {answer.get('text', '')}")
    return rates, [line[1:] for line in done.stdout.splitlines() if line.startswith("!")]


def group(rates: Rates, answer: dict[str, Any]) -> list[str]:
    if answer["found"]:
        return rates.found
    if answer["found"] is None:
        return rates.failed
    text = answer["text"]
    if "NotImplementedError" in text and "CPU" in text:
        return rates.not_here
    if "# stepscope: inputs=" in text:
        return rates.no_inputs
    return rates.no_constructor if "# stepscope: model=" in text else rates.no_module


@pytest.mark.skipif(not PACKAGES, reason="`npm run test:matrix` installs the packages of models")
@pytest.mark.parametrize(
    ("package", "share"), [("vit_pytorch", 8), ("torchvision/models", 1), ("timm/models", 8)]
)
def test_as_many_files_as_in_the_survey(
    package: str,
    share: int,
    tmp_path: Path,
    quiet_machine: None,
    record_property: Callable[[str, object], None],
) -> None:
    packages = Path(PACKAGES)
    folder = packages / package
    if package == "vit_pytorch":
        folder = with_readme(packages, package, tmp_path)
    rates, said = search(packages, files_of(folder, share))
    told = f"constructor {rates.constructor:.0%}, inputs {rates.inputs:.0%} of those"
    lines = [f"{package}: {told}", *(f"  {line}" for line in said)]
    for name, texts in vars(rates).items():
        lines += [f"  {name}: {len(texts)}", *(f"    {t}" for t in texts if name != "found")]
    record_property("measured", "\n".join(lines))
    assert rates.constructor >= CONSTRUCTOR
    assert rates.inputs >= INPUTS
