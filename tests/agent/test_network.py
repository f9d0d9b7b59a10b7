"""Nothing of ours goes on the network: not the command, nor the agent in the target's process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.agent

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).parent / "programs" / "beside_the_model.py"
# Python imports it by itself at every start, so each process of a run tells what it does.
LISTENER = """
import os, sys

told = os.open(os.environ["STEPSCOPE_TOLD"], os.O_WRONLY | os.O_APPEND)
os.write(told, f"{os.getpid()} begins {sys.argv[:1]}\\n".encode())


def hear(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__":
        os.write(told, f"{os.getpid()} {event} {arguments!r}\\n".encode())


sys.addaudithook(hear)
"""


def test_no_process_of_a_run_uses_the_network(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LISTENER, encoding="utf-8")
    told = tmp_path / "told.txt"
    told.touch()
    folders = [str(tmp_path), str(ROOT / "pyserver")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(folders), "STEPSCOPE_TOLD": str(told),
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "stepscope", "run", "--steps", "2", "--cwd", str(tmp_path)]
    command.append(str(PROGRAM))
    done = subprocess.run(
        command, env=environment, capture_output=True, timeout=180, check=False, cwd=tmp_path
    )
    lines = told.read_text(encoding="utf-8").splitlines()
    began = {line.split()[0] for line in lines if " begins " in line}
    assert len(began) >= 2, (lines, done.stderr.decode(errors="replace"))
    assert [line for line in lines if " begins " not in line] == []
    assert done.returncode == 0, done.stderr.decode(errors="replace")
