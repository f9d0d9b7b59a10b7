"""A file that is not where the script looks for it, or that it may not touch."""

from __future__ import annotations

from pathlib import Path

from stepscope.session.failures.record import Answer, Ending
from stepscope.session.model import Action, ActionKind


def relative_path(ending: Ending) -> Answer | None:
    """A path that is meant from another folder; which one has it is said."""
    error = ending.error
    if error is None or not error.is_a("builtins.FileNotFoundError", "builtins.NotADirectoryError"):
        return None
    wanted = _file_of(error.attributes.get("filename"))
    if wanted is None:
        return None
    if wanted.is_absolute():
        return Answer(
            f"{ending.name} needs {wanted}{ending.at}, which does not exist on this machine: put "
            "it there, or tell the script another path."
        )
    here = ending.folder
    for folder in ending.around():
        if folder != here and _leads_to(ending, folder, wanted):
            return Answer(
                f"{ending.name} looks for {wanted}{ending.at} in {here}; it is in {folder}: run "
                f"the file there (setting stepscope.cwd, or --cwd {_quoted(str(folder))}).",
                Action(ActionKind.SET_CWD, (str(folder),)),
            )
    own = ending.request.target.absolute().parent
    if own != here and ending.files.exists(own / wanted.parent) and str(wanted.parent) != ".":
        return Answer(
            f"{ending.name} looks for {wanted}{ending.at} in {here}; {own} has the folder "
            f"{wanted.parent}: run the file there (setting stepscope.cwd, or "
            f"--cwd {_quoted(str(own))}).",
            Action(ActionKind.SET_CWD, (str(own),)),
        )
    return Answer(
        f"{ending.name} needs {wanted}{ending.at}, and neither {here}, where it ran, nor a folder "
        "near it has that: put it there, or run the file in the folder that has it (setting "
        "stepscope.cwd, or --cwd).",
        Action(ActionKind.SET_CWD),
    )


def permission(ending: Ending) -> Answer | None:
    """A file or folder that this user may not read or write."""
    error = ending.error
    if error is None or not error.is_a("builtins.PermissionError"):
        return None
    wanted = _file_of(error.attributes.get("filename"))
    if wanted is None:
        return None
    full = wanted if wanted.is_absolute() else ending.folder / wanted
    return Answer(
        f"{ending.name} may not use {full}{ending.at} (permission denied): change its "
        "permissions, or have the script use a folder of yours."
    )


def _file_of(name: object) -> Path | None:
    return Path(name) if isinstance(name, str) and name else None


def _leads_to(ending: Ending, folder: Path, wanted: Path) -> bool:
    return ending.files.exists(folder / wanted)


def _quoted(path: str) -> str:
    return f"'{path}'" if " " in path else path
