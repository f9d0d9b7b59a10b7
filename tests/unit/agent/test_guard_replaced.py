"""The functions in the place of Python's own, on every Python that is here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.agent.interpreters import found_interpreters

DRIVER = Path(__file__).with_name("guard_driver.py")
ORIGINALS = ("runs/last/m.txt", "old.txt", "notes.txt", "last.pt", "previous.pt",
             "kept/inner.txt")  # fmt: skip


def snapshot(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_text())
        for path in folder.rglob("*")
        if path.is_file()
    }


INTERPRETERS = {
    f"{major}.{minor}": path
    for (major, minor), path in found_interpreters().items()
    if (major, minor) >= (3, 10)
}


@pytest.mark.parametrize("version", INTERPRETERS)
def test_a_target_sees_what_it_did_and_the_originals_stay(version: str, tmp_path: Path) -> None:
    python = INTERPRETERS[version]
    project = tmp_path / "project"
    for name in ORIGINALS:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    before = snapshot(project)
    done = subprocess.run(
        [python, str(DRIVER), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    after = snapshot(project)
    assert {name: after.get(name) for name in before} == before
    new = {"runs3/last/m.txt", "runs3/last/more", "runs3/last/here", "linked.txt"}
    assert set(after) - set(before) == new
