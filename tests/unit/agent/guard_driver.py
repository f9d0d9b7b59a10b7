"""Python's own functions replaced for real: ``guard_driver.py FOLDER``, with any Python >= 3.10.

Does what targets do to the files in ``FOLDER/project``, and asserts that it sees what it did.
"""

import glob
import importlib.util
import inspect
import os
import pickle
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

AGENT = Path(__file__).resolve().parents[3] / "pyserver" / "stepscope" / "agent"


def install(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location(
        "_stepscope_agent", AGENT / "__init__.py", submodule_search_locations=[str(AGENT)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["_stepscope_agent"] = package
    spec.loader.exec_module(package)
    guard = importlib.import_module("_stepscope_agent.guard")
    config = {
        "private": str(folder / "private"),
        "roots": [str(folder / "project")],
        "layers": [],
        "free": [str(folder / "private")],
    }
    assert guard.install({"guard": config}, print).mode == "functions"


def remove_and_make_again() -> None:
    shutil.rmtree("runs/last")
    assert not os.path.exists("runs/last/m.txt")
    assert not Path("runs/last").exists()
    os.makedirs("runs/last")
    Path("runs/last/m.txt").write_text("new")
    Path("runs/last/more").write_text("x")
    assert sorted(os.listdir("runs/last")) == ["m.txt", "more"]
    assert sorted(path.name for path in Path("runs/last").iterdir()) == ["m.txt", "more"]
    assert sorted(path.name for path in Path("runs").rglob("*")) == ["last", "m.txt", "more"]
    found = glob.glob("runs/**/*", recursive=True)
    assert sorted(found) == ["runs/last", "runs/last/m.txt", "runs/last/more"]
    assert sorted(name for _, _, names in os.walk("runs") for name in names) == ["m.txt", "more"]


def change_files() -> None:
    os.remove("old.txt")
    assert "old.txt" not in [path.name for path in Path().iterdir()]
    assert "old.txt" not in [path.name for path in Path().glob("*.txt")]
    with Path("notes.txt").open("a") as notes:
        notes.write("more")
    assert Path("notes.txt").read_text() == "notes.txtmore"
    os.replace("last.pt", "previous.pt")
    assert Path("previous.pt").read_text() == "last.pt"
    Path("last.tmp").write_text("t")
    Path("last.tmp").replace("last.pt")
    assert Path("last.pt").read_text() == "t"
    Path("previous.pt").unlink()
    assert not Path("previous.pt").exists()
    os.link("notes.txt", "linked.txt")
    os.truncate("linked.txt", 1)
    assert Path("linked.txt").read_text() == "n"


def change_folders() -> None:
    shutil.copytree("runs", "runs2")
    assert sorted(os.listdir("runs2/last")) == ["m.txt", "more"]
    shutil.move("runs", "runs3")
    assert not os.path.exists("runs")
    assert sorted(os.listdir("runs3/last")) == ["m.txt", "more"]
    shutil.rmtree("runs2")
    assert not os.path.exists("runs2")
    before = os.getcwd()
    os.chdir("runs3/last")
    Path("here").write_text("h")
    assert os.getcwd() == os.path.join(before, "runs3", "last")
    os.chdir("../..")
    folder = os.open("kept", os.O_RDONLY)
    os.unlink("inner.txt", dir_fd=folder)
    os.close(folder)
    assert os.listdir("kept") == []
    os.rmdir("kept")
    os.mkdir("kept")
    os.chdir("kept")
    Path("again.txt").write_text("a")
    assert os.getcwd() == os.path.join(before, "kept")
    os.chdir("..")
    assert os.listdir("kept") == ["again.txt"]


def be_used_as_builtins_are() -> None:
    for function in (os.remove, os.stat, open, shutil.rmtree):
        assert pickle.loads(pickle.dumps(function)) is function
        inspect.signature(function)

    holder: Any = type("Holder", (), {"open": open, "stat": os.stat})()
    holder.open("notes.txt").close()
    assert holder.stat("notes.txt").st_size == len("notes.txtmore")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").write_text("x")
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("x")
    name = None
    try:
        open("none/at all").close()
    except FileNotFoundError as error:
        name = error.filename
    assert name == "none/at all"


if __name__ == "__main__":
    install(Path(sys.argv[1]))
    os.chdir(Path(sys.argv[1]) / "project")
    remove_and_make_again()
    change_files()
    change_folders()
    be_used_as_builtins_are()
