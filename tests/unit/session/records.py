"""Endings of targets for the recognisers: from real exceptions, or from texts of libraries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepscope.agent.errors import describe
from stepscope.session.failures.record import Ending, Files, Place, Raised
from stepscope.session.failures.told import Told
from stepscope.session.model import ProfileRequest

TARGET = Path("/home/me/project/train.py")
PYTHON = "/env/bin/python"
PLACE = Place(str(TARGET), 3)


def disk(files: dict[str, str]) -> Files:
    """A disk that holds just these files, by their absolute paths."""
    known = {Path(name) for name in files}
    folders = {parent for path in known for parent in path.parents}

    def read(path: Path) -> str:
        if path not in known:
            raise FileNotFoundError(path)
        return files[str(path)]

    return Files(
        exists=lambda path: path in known | folders,
        read=read,
        holds_python=lambda path: any(
            file.parent == path and file.suffix == ".py" for file in known
        ),
        folders=lambda path: sorted(folder for folder in folders if folder.parent == path),
    )


def ending(
    *chain: Raised, line: str = "", files: dict[str, str] | Files | None = None, **fields: Any
) -> Ending:
    """An ending on line 3 of the target, which holds ``line``."""
    if not isinstance(files, Files):
        files = disk({str(TARGET): f"import torch\n\n{line}\n", **(files or {})})
    request = fields.pop("request", ProfileRequest(TARGET, cwd=Path("/home/me")))
    known: dict[str, Any] = {"place": PLACE, "files": files, **fields}
    return Ending(request=request, python=PYTHON, chain=chain, **known)


def raised(kind: str, message: str, *above: str, **attributes: Any) -> Raised:
    """An exception of a library that is not here: its full type names, its real message."""
    return Raised((kind, *above, "builtins.Exception"), message, attributes)


def really(action: Callable[[], object]) -> tuple[Raised, ...]:
    """What ``action`` raises here, as the agent describes it."""
    try:
        action()
    except Exception as error:
        message = {"ticks": 0, **describe(error, lambda _: False)}
        return Told(ProfileRequest(TARGET), PYTHON).ending(message).chain
    raise AssertionError("nothing was raised")
