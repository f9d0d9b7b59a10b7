"""Recording behind somebody else's launcher: the command line, what is said, what stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stepscope.agent import standalone
from stepscope.agent.plan import plan_together
from stepscope.agent.ranks import Rank
from stepscope.agent.standalone import Console, Private, split_at_target

AGENT = Path(standalone.__file__).parent
RAISED = {
    "site": ["/home/me/train.py", 12],
    "ticks": 3,
    "chain": [{"types": ["builtins.ValueError"], "message": "no more data\nat all"}],
}
NEEDED = 6 + plan_together(None).total()  # five to warm up lie between six ends of steps
ENDED: dict[str, Any] = {"ticks": 12, "code": None, "site": ["/home/me/train.py", 9]}


@pytest.mark.parametrize(
    ("line", "own", "target", "rest"),
    [
        ("--out F train.py --out G -x", ["--out", "F"], "train.py", ["--out", "G", "-x"]),
        (
            "--out=F --no-guard --steps 3 t.py",
            ["--out=F", "--no-guard", "--steps", "3"],
            "t.py",
            [],
        ),
        ("--out F -- -odd.py -- a", ["--out", "F"], "-odd.py", ["--", "a"]),
        ("--out F", ["--out", "F"], None, []),
        ("", [], None, []),
    ],
)
def test_what_follows_the_target_is_its_own(
    line: str, own: list[str], target: str | None, rest: list[str]
) -> None:
    assert split_at_target(line.split()) == (own, target, rest)


def console(rank: int = 1, **wishes: Any) -> Console:
    place = {"rank": rank, "world_size": 2, "local_rank": rank, "local_size": 2, "run_id": "a",
             "folder": "/out put"}  # fmt: skip
    return Console("train.py", Rank(place), {"steps": None, "warmup": None} | wishes, "/out put")


@pytest.mark.parametrize(
    ("kind", "fields", "status", "text"),
    [
        (
            "raised", RAISED, 1,
            "train.py raised ValueError at train.py:12 after 3 steps: no more data",
        ),
        (
            "raised", {**RAISED, "ticks": 0, "site": None}, 1,
            "train.py raised ValueError before its first step: no more data",
        ),
        ("ended", {**ENDED, "code": "5"}, 1, "train.py called exit(5) at train.py:9."),
        (
            "ended", {**ENDED, "ticks": 0}, 3,
            "train.py ended by itself; no step was seen in it; choose its loop with --loop LINE.",
        ),
        (
            "ended", ENDED, 3,
            f"train.py ended after 12 steps; the recording takes {NEEDED}: "
            "say --total-steps 12 if it makes no more, or ask for less with --steps and --warmup.",
        ),
        ("old-torch", {"version": "2.0"}, 1,
         "recording needs torch 2.4 or newer, and this is 2.0."),
        ("fault", {"text": "Traceback: x"}, 1,
         "Stepscope itself failed; please report this.\nTraceback: x"),
    ],
)  # fmt: skip
def test_how_a_recording_ended_is_one_sentence_with_its_rank(
    capsys: pytest.CaptureFixture[str], kind: str, fields: dict[str, Any], status: int, text: str
) -> None:
    said = console()
    said.send(kind, **fields)
    assert capsys.readouterr() == ("", f"stepscope: rank 1 of 2: {text}\n")
    assert said.status == status


def test_only_the_first_rank_says_that_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (0, 1):
        said = console(rank)
        said.send("progress", phase="measuring", step=1, total=2)
        said.send("captured", process="main")
        assert said.status == 0
    assert capsys.readouterr().err == (
        "stepscope: rank 0 of 2: recorded; open it with: stepscope open '/out put'\n"
    )


def test_a_forked_child_says_nothing_for_its_rank(capsys: pytest.CaptureFixture[str]) -> None:
    said = console()
    said.become_child()
    said.send("raised", **RAISED)
    assert capsys.readouterr().err == ""


def test_the_last_rank_of_a_machine_takes_the_guards_folder_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, last = Private(0, "a"), Private(1, "a")
    assert first.path == last.path
    Path(first.path, "copy").write_text("x")
    first.leave()
    assert Path(last.path, "copy").exists()
    last.leave()
    assert list(tmp_path.iterdir()) == []


def test_what_ranks_that_were_killed_have_left_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead = tmp_path / f"stepscope-ranks-{os.getuid()}-a-{gone.pid}"
    alive = tmp_path / f"stepscope-ranks-{os.getuid()}-a-{os.getpid()}"
    strangers = tmp_path / f"stepscope-ranks-{os.getuid()}-notes"
    for folder in (dead, alive, strangers):
        folder.mkdir()
    Private(0, "b").leave()
    assert sorted(tmp_path.iterdir()) == sorted([alive, strangers])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train.py"], "the following arguments are required: --out"),
        (["--out", "F"], "name the script to record after the options"),
        (["--out", "F", "nowhere.py"], "there is no file "),
        (["--out", "F", "--steps", "0", "train.py"], "'0' is not a whole number from 1"),
        (["--out", "train.py", "train.py"], "--out train.py: File exists"),
    ],
)
def test_a_wrong_command_line_is_refused(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "train.py").touch()
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_folder_of_the_agent_runs_anywhere(tmp_path: Path) -> None:
    """By its path, without the package: the script finds its own modules and no trace of ours."""
    (tmp_path / "capture.py").write_text("name = 'mine'\n")
    (tmp_path / "train.py").write_text(
        "import sys, capture, stepscope\n"
        "print(capture.name, sys.argv, __name__, stepscope.__doc__)\n"
        "print([m for m in sys.modules if m.startswith('stepscope.')])\n"
    )
    done = run(tmp_path, "--out", "F", "train.py", "-x")
    assert done.stdout == (
        "mine ['train.py', '-x'] __main__ Stepscope's step marker, present while it profiles.\n[]\n"
    )
    assert done.returncode == 3
    assert done.stderr == (
        "stepscope: rank 0 of 1: train.py ended by itself; no step was seen in it; choose its loop "
        "with --loop LINE.\n"
    )
    assert [path.name for path in (tmp_path / "F").iterdir()] == ["rank00000.json"]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TMPDIR": str(folder)}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        [sys.executable, str(AGENT), *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
