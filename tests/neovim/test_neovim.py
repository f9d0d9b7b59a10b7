"""Another client than VS Code: Neovim's own, with the configuration that our page shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "other-editors.md"
PROGRAM = ROOT / "tests" / "agent" / "gains" / "programs" / "slow_input.py"
LIMIT_S = 240


def configuration() -> str:
    """The Lua that the page tells people to use."""
    (code,) = re.findall(r"```lua\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Neovim knew after ``:StepscopeProfile``."""
    neovim = shutil.which("nvim")
    if neovim is None:
        pytest.skip("Neovim is not installed here; `node scripts/prepare.mjs neovim` installs it")
    folder = tmp_path_factory.mktemp("neovim")
    commands = folder / "bin"
    commands.mkdir()
    server = commands / "stepscope"
    server.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stepscope "$@"\n', encoding="utf-8")
    server.chmod(0o755)
    settings = folder / "init.lua"
    settings.write_text(configuration(), encoding="utf-8")
    project = folder / "project"
    project.mkdir()
    target = project / "train.py"
    shutil.copyfile(PROGRAM, target)
    out = folder / "seen.json"
    environment = os.environ | {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "pyserver"),
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "STEPSCOPE_FILE": str(target),
        "STEPSCOPE_SEEN": str(out),
        "OMP_NUM_THREADS": "1",
    }
    drive = Path(__file__).parent / "drive.lua"
    command = [neovim, "--headless", "-n", "-u", str(settings), "-c", f"luafile {drive}"]
    done = subprocess.run(
        command, cwd=project, env=environment, timeout=LIMIT_S, capture_output=True, check=False
    )
    assert out.exists(), done.stderr.decode(errors="replace")
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in found, (found["problem"], done.stderr.decode(errors="replace"))
    assert done.returncode == 0
    return found


def line_of(mark: str) -> int:
    """The line of the program that ends in ``mark``, counted from 0 as the protocol does."""
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines) if line.endswith(mark))


def test_the_finding_is_a_diagnostic_on_its_line(seen: dict[str, Any]) -> None:
    (found,) = (each for each in seen["diagnostics"] if each["source"] == "stepscope")
    assert found["lnum"] == line_of("# expect: slow-input")
    assert found["user_data"]["lsp"]["code"] == "slow-input"
    assert "DataLoader" in found["message"]


def test_lines_that_cost_have_hints(seen: dict[str, Any]) -> None:
    labels = {hint["position"]["line"]: hint["label"] for hint in seen["hints"]}
    found = re.search(r"\d+ % · +([\d.]+) ms", labels[line_of("time.sleep(0.003)")])
    assert found is not None
    # Four rows to a batch, 3 ms of sleep for each: 12 ms, scaled from one pass to another, which a
    # busy machine makes differ.
    assert float(found.group(1)) >= 8.0
    assert line_of("for x in loader:") in labels


def test_a_hover_is_a_table_of_the_line(seen: dict[str, Any]) -> None:
    assert seen["hover"]["contents"]["kind"] == "markdown"
    assert "of the step" in seen["hover"]["contents"]["value"]
