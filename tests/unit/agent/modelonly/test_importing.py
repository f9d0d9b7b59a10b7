"""Under which name a file is imported, and from where."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from stepscope.agent.modelonly.importing import import_target, module_name


def test_a_file_alone_is_a_module_of_its_folder(tmp_path: Path) -> None:
    assert module_name(str(tmp_path / "net.py")) == (str(tmp_path), "net")


def test_folders_with_an_init_are_packages(tmp_path: Path) -> None:
    inner = tmp_path / "project" / "models" / "vision"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    root = str(tmp_path / "project")
    assert module_name(str(inner / "net.py")) == (root, "models.vision.net")
    assert module_name(str(inner / "__init__.py")) == (root, "models.vision")


def test_a_name_that_is_taken_is_not_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    target = tmp_path / "json.py"
    target.write_text("VALUE = __name__\n")
    module, source = import_target(str(target))
    assert module.VALUE == "_stepscope_target.json"
    assert source == b"VALUE = __name__\n"
    assert json.dumps(1) == "1"
    assert list(tmp_path.iterdir()) == [target]  # no compiled copy
