"""What the target finds under the library's names."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import pytest

from stepscope.agent.target import forget_shadowed

NAME = "statistics"


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, NAME, statistics)


def is_forgotten(folder: Path, started_with: frozenset[str] = frozenset()) -> bool:
    others = frozenset(sys.modules) - {NAME}
    forget_shadowed(str(folder / "train.py"), others | started_with)
    return NAME not in sys.modules


def test_the_targets_own_module_comes_first(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.py").touch()
    assert is_forgotten(tmp_path)


def test_so_does_its_own_package(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "__init__.py").touch()
    assert is_forgotten(tmp_path)


def test_nothing_else_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "other.py").touch()
    (tmp_path / NAME).mkdir()  # no package: the library's comes first
    assert not is_forgotten(tmp_path)


def test_what_the_interpreter_has_loaded_itself_stays(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.py").touch()
    assert not is_forgotten(tmp_path, frozenset({NAME}))


def test_built_in_modules_come_before_any_file(tmp_path: Path) -> None:
    (tmp_path / "time.py").touch()
    forget_shadowed(str(tmp_path / "train.py"), frozenset(sys.modules) - {"time"})
    assert "time" in sys.modules


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert not is_forgotten(tmp_path / "none")
