"""A target that would do harm, profiled: what existed is as it was, to the byte."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from stepscope.session.keeping import remove_new_files
from stepscope.session.model import FilesAfter
from tests.agent.attempts import Outcome, Project, project, snapshot

__all__ = ["project"]
pytestmark = pytest.mark.agent

LOOP = """
w = torch.rand(4, 3, requires_grad=True)
try:
    for step in range(100_000):
        loss = w.square().sum()
        loss.backward()
        w.data -= 0.1 * w.grad
        w.grad = None
        log.info("step %d", step)
        if step == 0:
            save_and_read_back()
finally:
    torch.save({"w": w}, "finally.pt")
"""

HARMFUL = """
import atexit
import json
import logging
import os
import shutil
import sqlite3
from pathlib import Path

import numpy
import torch

logging.basicConfig(filename="train.log", level=logging.INFO)
log = logging.getLogger("train")

json.dump({"lr": 2}, open("config.json", "w"))
assert json.load(open("config.json")) == {"lr": 2}

shutil.rmtree("runs/last")
assert not os.path.exists("runs/last/metrics.txt")
os.makedirs("runs/last")
Path("runs/last/metrics.txt").write_text("new")
Path("runs/last/more.txt").write_text("more")
assert sorted(os.listdir("runs/last")) == ["metrics.txt", "more.txt"]

os.makedirs("data/set")
Path("data/set/part.txt").write_text("part")

os.remove("old.txt")
assert not Path("old.txt").exists() and "old.txt" not in [p.name for p in Path().iterdir()]

numpy.save("array.npy", numpy.arange(4))
assert numpy.load("array.npy").tolist() == [0, 1, 2, 3]

with open("notes.txt", "a") as notes:
    notes.write("more")
assert Path("notes.txt").read_text() == "notes of a personmore"

table = sqlite3.connect("trials.db")
table.execute("create table trials (value)")
table.commit()
table.close()


def save_and_read_back():
    torch.save({"w": w}, "checkpoint.pt")
    assert torch.equal(torch.load("checkpoint.pt")["w"], w)
    # An atomic save, after the one before was put aside.
    os.replace("last.pt", "previous.pt")
    torch.save({"w": w}, "last.pt.tmp")
    os.replace("last.pt.tmp", "last.pt")
    assert torch.load("last.pt", mmap=True)["w"].shape == (4, 3)
    assert Path("previous.pt").read_text() == "last.pt of a person"
    torch.jit.script(torch.nn.Identity()).save("scripted.pt")
    torch.jit.load("scripted.pt")
    torch.save({"w": w}, "new.pt")


atexit.register(lambda: torch.save({"w": w}, "atexit.pt"))
{more}
"""

SHELL = """
import subprocess
subprocess.run("rm -r kept && echo changed > shell.txt", shell=True, check=True)
assert not os.path.exists("kept") and Path("shell.txt").read_text() == "changed\\n"
"""

ORIGINALS = (
    "train.log", "config.json", "runs/last/metrics.txt", "old.txt", "array.npy", "notes.txt",
    "checkpoint.pt", "last.pt", "previous.pt", "scripted.pt", "finally.pt", "atexit.pt",
)  # fmt: skip


@pytest.fixture(params=["overlay", "functions"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Once with the overlay, where this system offers one, and once with the functions alone."""
    way = str(request.param)
    if way == "functions":
        monkeypatch.setenv("STEPSCOPE_GUARD", "functions")
    elif sys.platform != "linux":
        pytest.skip("only Linux has overlays")
    return way


def fill(project: Project, *names: str) -> None:
    for name in names:
        path = project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name.removesuffix('.txt')} of a person")
    (project.root / "trials.db").write_bytes(b"")


def after(outcome: Outcome) -> FilesAfter:
    assert outcome.files is not None, "nothing was said about files"
    return outcome.files


def names(project: Project, paths: tuple[str, ...]) -> set[str]:
    return {str(Path(path).relative_to(project.root)) for path in paths}


def test_what_existed_is_untouched_whatever_the_target_does(project: Project, way: str) -> None:
    shell = way == "overlay"
    fill(project, *ORIGINALS, "kept/precious.txt", "shell.txt")
    target = project.file(HARMFUL.replace("{more}", SHELL if shell else "") + LOOP)
    before = snapshot(project.root)
    outcome = project.run(target, changes=True, cwd=project.root)
    files = after(outcome)
    if shell and files.guard == "functions":
        pytest.skip("this system offers no overlay to a process without privileges")

    now = snapshot(project.root)
    assert {name: now.get(name) for name in before} == before
    assert set(now) - set(before) == {"new.pt", "runs/last/more.txt", "data/set/part.txt"}

    assert files.guard == way
    assert files.changed == ()
    assert {"checkpoint.pt", "config.json", "old.txt", "trials.db"} <= names(project, files.kept)
    assert {"finally.pt", "atexit.pt"} <= names(project, files.kept)  # after the capture
    created = tuple(new.path for new in files.created)
    assert names(project, created) == {"new.pt", "runs/last/more.txt", "data/set/part.txt"}

    told = outcome.reported.profile.run.files
    assert told is not None
    assert told.guard == way
    assert {"checkpoint.pt", "config.json", "old.txt"} <= names(project, told.kept)
    assert "finally.pt" not in names(project, told.kept)
    assert names(project, told.created) == names(project, created)

    # On request the new ones go; one that was changed meanwhile is somebody's by now.
    (project.root / "new.pt").write_text("mine now")
    removed, left = remove_new_files(files.created, files.folders)
    assert names(project, tuple(removed)) == {"runs/last/more.txt", "data/set/part.txt"}
    assert names(project, tuple(left)) == {"new.pt"}
    assert set(snapshot(project.root)) == {*before, "new.pt"}
    assert not (project.root / "data").exists()
    assert (project.root / "runs/last").exists()


SLIPS = """
import subprocess
import torch
subprocess.run("echo changed > shell.txt", shell=True, check=True)
w = torch.rand(4, 3, requires_grad=True)
for step in range(100_000):
    w.square().sum().backward()
    w.data -= 0.1 * w.grad
    w.grad = None
"""


def test_what_slips_through_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPSCOPE_GUARD", "functions")
    fill(project, "shell.txt")
    outcome = project.run(project.file(SLIPS), changes=True, cwd=project.root)
    assert names(project, after(outcome).changed) == {"shell.txt"}


def test_it_can_be_turned_off(project: Project) -> None:
    fill(project, "shell.txt")
    outcome = project.run(project.file(SLIPS), changes=True, cwd=project.root, guard=False)
    assert after(outcome) == FilesAfter("off")
    assert outcome.reported.profile.run.files is not None
    assert outcome.reported.profile.run.files.guard == "off"
    assert (project.root / "shell.txt").read_text() == "changed\n"


FAKES = {
    "wandb.py": """
        import os

        def init(project=None, mode=None):
            assert (mode, os.environ["WANDB_MODE"]) == ("offline", "offline")
        """,
    "mlflow.py": """
        import os

        def set_tracking_uri(uri):
            raise AssertionError("a server would be asked")

        def start_run():
            assert os.environ["MLFLOW_TRACKING_URI"].startswith("file:")
        """,
    "comet_ml.py": """
        class Experiment:
            def __init__(self, **_):
                raise AssertionError("it would go online")

        class OfflineExperiment:
            def __init__(self, **_):
                pass
        """,
    "huggingface_hub/__init__.py": "from .hf_api import HfApi, upload_file",
    "huggingface_hub/hf_api.py": """
        class HfApi:
            def upload_file(self, **_):
                raise AssertionError("something would be pushed")

            create_repo = upload_file

            def hf_hub_download(self, name):
                return f"downloaded {name}"

        upload_file = HfApi().upload_file
        """,
}
TRACKED = """
import comet_ml, huggingface_hub, mlflow, torch, wandb
wandb.init(project="p", mode="online")
mlflow.set_tracking_uri("https://example.org")
mlflow.start_run()
comet_ml.Experiment(api_key="k")
api = huggingface_hub.HfApi()
assert api.create_repo("me/model", exist_ok=True).repo_id == "me/model"
api.upload_file(path_or_fileobj=b"", repo_id="me/model")
huggingface_hub.upload_file(path_or_fileobj=b"", repo_id="me/model").result()
assert api.hf_hub_download("weights") == "downloaded weights"
w = torch.rand(4, 3, requires_grad=True)
for step in range(100_000):
    w.square().sum().backward()
    w.data -= 0.1 * w.grad
    w.grad = None
"""


def test_trackers_are_offline_and_nothing_is_pushed(project: Project) -> None:
    for name, text in FAKES.items():
        project.file(textwrap.dedent(text), name)
    outcome = project.run(project.file(TRACKED), changes=True, cwd=project.root)
    notes = outcome.reported.profile.notes
    for name in ("wandb", "mlflow", "comet_ml"):
        assert f"{name} was kept offline during this run." in notes
    pushed = "Nothing was pushed to the Hugging Face Hub during this run; its calls did nothing."
    assert notes.count(pushed) == 1
