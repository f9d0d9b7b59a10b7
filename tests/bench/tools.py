"""Other tools that are measured beside ours, each set in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bench.running import version_of


def install(folder: Path, requirements: Path) -> str | None:
    """Have the tools in ``folder``; a sentence where that cannot be."""
    stamp = folder / "installed"
    wanted = requirements.read_text(encoding="utf-8") + version_of(sys.executable)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return None
    options = ["--quiet", "--disable-pip-version-check", "--upgrade", "--target", str(folder)]
    command = [sys.executable, "-m", "pip", "install", *options, "-r", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = done.stderr.strip().splitlines() or ["no output"]
        return f"it could not be installed: {words[-1]}"
    stamp.write_text(wanted, encoding="utf-8")
    return None
