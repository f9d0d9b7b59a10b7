"""Other Pythons on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

_ASK = "import sys; sys.stdout.write('%d.%d' % sys.version_info[:2])"


@cache
def found_interpreters() -> dict[tuple[int, int], str]:
    """One interpreter per version: ours, then those on PATH, then those of pyenv."""
    names = [f"python3.{minor}" for minor in range(6, 20)] + ["python2.7"]
    candidates = [sys.executable, *(path for name in names if (path := shutil.which(name)))]
    versions = Path.home() / ".pyenv" / "versions"
    candidates += [str(path) for path in sorted(versions.glob("*/bin/python"))]
    found: dict[tuple[int, int], str] = {}
    for path in candidates:
        version = _version(path)
        if version is not None:
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def _version(path: str) -> tuple[int, int] | None:
    try:
        asked = subprocess.run([path, "-c", _ASK], capture_output=True, timeout=60, check=True)
        major, minor = asked.stdout.decode("ascii").split(".")
    except (OSError, subprocess.SubprocessError, ValueError):
        return None  # a shim without a version behind it, say
    return int(major), int(minor)
