"""Which folders hold the person's own code, whose lines are shown and whose loops are found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# What stands at the top of a project. A script below it uses the project's packages as its own.
_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")


def own_folders(target: Path, cwd: Path, workspace: Iterable[Path]) -> list[Path]:
    """The target's folder, the workspace's, the target's project and the working folder.

    The working folder counts where the target lies below it. Neither it nor the project is ever a
    home folder or a whole disk: other people's code lies there too. All are absolute.
    """
    folders = [target.parent, *(folder.absolute() for folder in workspace)]
    folders += [folder for folder in target.parents if _is_project(folder)][:1]
    if cwd.absolute() in target.parents and not _is_everything(cwd.absolute()):
        folders.append(cwd.absolute())
    return list(dict.fromkeys(folders))


def _is_project(folder: Path) -> bool:
    return not _is_everything(folder) and any((folder / mark).exists() for mark in _MARKS)


def _is_everything(folder: Path) -> bool:
    return folder == folder.parent or folder == _home()


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # a user without a home folder
        return None
