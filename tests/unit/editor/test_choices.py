"""A chosen loop is found again after edits and restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.editor.choices import LoopChoices

TEXT = """\
for a in b:
    pass
def f():
    for a in b:
        pass
    for a in b:
        pass
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "loops.json"


@pytest.mark.parametrize("line", [1, 4, 6])
def test_a_choice_survives_a_restart_and_edits_elsewhere(file: Path, line: int) -> None:
    LoopChoices(file).choose("/x/train.py", TEXT, line)
    assert LoopChoices(file).line("/x/train.py", TEXT) == line
    assert LoopChoices(file).line("/x/train.py", "import torch\n\n" + TEXT) == line + 2
    assert LoopChoices(file).line("/x/other.py", TEXT) is None


def test_a_loop_with_other_words_is_not_the_chosen_one(file: Path) -> None:
    choices = LoopChoices(file)
    choices.choose("/x/train.py", TEXT, 6)
    assert choices.line("/x/train.py", TEXT.replace("for a in b", "for c in d")) is None
    assert choices.line("/x/train.py", "for a in") is None


def test_a_choice_can_be_forgotten(file: Path) -> None:
    choices = LoopChoices(file)
    choices.choose("/x/train.py", TEXT, 4)
    choices.choose("/x/train.py", TEXT, None)
    assert LoopChoices(file).line("/x/train.py", TEXT) is None


def test_no_loop_there(file: Path) -> None:
    with pytest.raises(ValueError, match=r"no loop at line 2 of train\.py"):
        LoopChoices(file).choose("/x/train.py", TEXT, 2)


@pytest.mark.parametrize(
    "damaged", ["", "[]", "{", '{"/x/train.py": 3}', '{"/x/train.py": {"function": "", "nth": -1}}']
)
def test_a_damaged_file_is_no_choice(file: Path, damaged: str) -> None:
    file.parent.mkdir()
    file.write_text(damaged)
    choices = LoopChoices(file)
    assert choices.line("/x/train.py", TEXT) is None
    choices.choose("/x/train.py", TEXT, 1)
    assert LoopChoices(file).line("/x/train.py", TEXT) == 1


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, not a folder")
    choices = LoopChoices(tmp_path / "state" / "loops.json")
    choices.choose("/x/train.py", TEXT, 1)
    assert choices.line("/x/train.py", TEXT) == 1


def test_old_choices_make_room(file: Path) -> None:
    choices = LoopChoices(file)
    for number in range(502):
        choices.choose(f"/x/{number}.py", TEXT, 1)
    assert choices.line("/x/1.py", TEXT) is None
    assert choices.line("/x/501.py", TEXT) == 1
