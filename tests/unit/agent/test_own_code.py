"""A project's packages are the person's own, also for a script further down."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.agent import own_code
from stepscope.agent.own_code import own_folders


@pytest.fixture
def target(tmp_path: Path) -> Path:
    script = tmp_path / "repo" / "projects" / "adder" / "adder.py"
    script.parent.mkdir(parents=True)
    script.touch()
    return script


@pytest.mark.parametrize("mark", ["setup.py", "pyproject.toml", ".git"])
def test_the_nearest_project_above_the_target_counts(
    target: Path, tmp_path: Path, mark: str
) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "repo" / mark).touch()
    assert own_folders(target, Path("/"), []) == [target.parent, tmp_path / "repo"]


def test_the_working_folder_counts_only_above_the_target(target: Path, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    assert own_folders(target, repo, []) == [target.parent, repo]
    assert own_folders(target, repo / "elsewhere", []) == [target.parent]
    assert own_folders(target, target.parent, []) == [target.parent]


def test_neither_a_home_folder_nor_a_disk_is_a_project(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()  # somebody keeps their settings in a repository
    monkeypatch.setattr(own_code, "_home", lambda: tmp_path)
    assert own_folders(target, tmp_path, []) == [target.parent]
    assert own_folders(target, Path("/"), []) == [target.parent]


def test_the_workspace_comes_as_it_is(target: Path, tmp_path: Path) -> None:
    (tmp_path / "repo" / "setup.py").touch()
    repo = tmp_path / "repo"
    assert own_folders(target, Path("/"), [repo]) == [target.parent, repo]
    other = tmp_path / "other"
    assert own_folders(target, repo, [other]) == [target.parent, other, repo]
