"""Recorded functions in the files that are here: on their own line, or on none."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.timeline.kineto.paths import PathMap
from stepscope.timeline.model import Place
from stepscope.timeline.recorded_places import ASTRAY, LocalPlaces, functions_of

SOURCE = """\
import torch


class Net(torch.nn.Module):
    @torch.no_grad()
    def forward(
        self, x
    ):
        return self.a(x)


class Head(torch.nn.Module):
    def forward(self, x):
        return [y for y in x]


def main():
    train(key=lambda: 0)
"""
CLASS, DECORATOR, NET, HEAD, COMPREHENSION, MAIN, LAMBDA = 4, 5, 6, 13, 14, 17, 18


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "train.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def find(folder: Path, file: str, line: int, name: str, *, executing: bool = False) -> Place:
    local = LocalPlaces(PathMap(roots=[folder]))
    return local.find(Place(file, line, name), executing=executing)


@pytest.mark.parametrize(
    ("recorded", "name", "line"),
    [
        (DECORATOR, "forward", NET),  # where Python says that a decorated function begins
        (NET, "forward", NET),
        (NET, "Net.forward", NET),
        (HEAD, "forward", HEAD),
        (CLASS, "Net", CLASS),
        (MAIN, "main", MAIN),
        (LAMBDA, "<lambda>", LAMBDA),
        (COMPREHENSION, "<listcomp>", COMPREHENSION),
        (1, "<module>", 1),
        (MAIN + 30, "main", MAIN),  # moved, and the only one of its name
    ],
)
def test_a_function_is_put_on_its_def(folder: Path, recorded: int, name: str, line: int) -> None:
    here = str(folder / "job" / "train.py")
    assert find(folder, "train.py", recorded, name) == Place(here, line, name)


@pytest.mark.parametrize(
    ("recorded", "name"),
    [
        (HEAD + 1, "forward"),  # two have moved, and nobody knows which is which
        (MAIN, "train"),
        (MAIN + 1, "<listcomp>x"),
    ],
)
def test_a_function_that_is_not_there_gets_no_line(folder: Path, recorded: int, name: str) -> None:
    local = LocalPlaces(PathMap(roots=[folder]))
    found = local.find(Place("train.py", recorded, name))
    assert found == Place(f"{ASTRAY}train.py", recorded, name)
    local.find(Place("train.py", recorded, name))
    (note,) = local.notes()
    assert note.startswith(f"{folder / 'job' / 'train.py'} has changed since the recording")
    assert f": {name} is not where the recording says" in note


def test_a_file_of_which_only_the_name_agrees_must_agree_in_the_line(folder: Path) -> None:
    here = str(folder / "job" / "train.py")
    assert find(folder, "/cluster/other/train.py", MAIN, "main") == Place(here, MAIN, "main")
    moved = find(folder, "/cluster/other/train.py", MAIN + 1, "main")
    assert moved.file == f"{ASTRAY}/cluster/other/train.py"
    assert find(folder, "/cluster/job/train.py", MAIN + 1, "main").line == MAIN


def test_a_rule_and_a_path_that_exists_leave_no_doubt(folder: Path) -> None:
    here = str(folder / "job" / "train.py")
    by_rule = LocalPlaces(PathMap([("/cluster/other", str(folder / "job"))]))
    assert by_rule.find(Place("/cluster/other/train.py", 3, "main")).line == MAIN
    assert LocalPlaces(PathMap()).find(Place(here, 3, "main")) == Place(here, MAIN, "main")
    gone = LocalPlaces(PathMap()).find(Place(here, 3, "gone"))
    assert gone.file == ASTRAY + here
    assert not Path(gone.file).is_absolute()


def test_an_executing_line_is_kept_inside_of_its_function_only(folder: Path) -> None:
    here = str(folder / "job" / "train.py")
    assert find(folder, "train.py", 9, "forward", executing=True) == Place(here, 9, "forward")
    assert find(folder, "train.py", 2, "forward", executing=True).file == f"{ASTRAY}train.py"
    assert find(folder, "train.py", 9, "main", executing=True).file == f"{ASTRAY}train.py"


def test_a_file_that_is_not_here_stays_as_it_was_recorded(folder: Path) -> None:
    local = LocalPlaces(PathMap(roots=[folder]))
    for file in ("/cluster/model.py", "model.py", "<string>", "/dev/zero", "a\0.py"):
        assert local.find(Place(file, 3, "main")) == Place(file, 3, "main")
    assert local.notes() == []


@pytest.mark.parametrize("text", ["def broken(:\n", "(" * 5_000, "x = '\0'"])
def test_a_text_that_does_not_parse_has_no_functions(text: str) -> None:
    assert list(functions_of(text)) == ["<module>"]


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert "f" in functions_of("\ufeffdef f(): pass\n")
