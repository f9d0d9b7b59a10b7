"""What a run did to files, read from where its writes went. Used inside the run and after it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .disk import is_there, marked

LISTED = 2000
"""No more files than this are named."""
COVERED = "covered.json"
"""In the private folder: the folders that have a layer over them, as a list."""
_CACHE = "__pycache__"
_OPAQUE = "user.overlay.opaque"


@dataclass(frozen=True)
class Changes:
    """Real paths: existing files that were kept (written or removed by the target), new files."""

    kept: tuple[str, ...]
    created: tuple[str, ...]


def changes_in_layer(root: str, upper: str, below: Callable[[str], bool]) -> Changes:
    """The changes that an upper layer holds; ``below`` tells whether a path existed under it."""
    kept: list[str] = []
    created: list[str] = []
    for relative, found in walk_layer(upper):
        path = os.path.join(root, relative)
        if below(relative):
            if not stat.S_ISDIR(found.st_mode) or is_opaque(os.path.join(upper, relative)):
                kept.append(path)
        elif not stat.S_ISDIR(found.st_mode) and not is_whiteout(found):
            created.append(path)
    return Changes(tuple(kept), tuple(created))


def is_cache(relative: str) -> bool:
    """Whether it is Python's own compiled code."""
    return _CACHE in relative.split(os.sep)


def walk_layer(upper: str, caches: bool = False) -> Iterator[tuple[str, os.stat_result]]:
    """(relative path, ``lstat``) of everything in an upper layer; ``caches``: Python's too."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            names = sorted(os.listdir(os.path.join(upper, folder)))
        except OSError:
            continue
        for name in names:
            relative = os.path.join(folder, name)
            try:
                found = os.lstat(os.path.join(upper, relative))
            except OSError:
                continue
            if name == _CACHE and not caches:
                continue
            yield relative, found
            if stat.S_ISDIR(found.st_mode):
                waiting.append(relative)


def is_whiteout(found: os.stat_result) -> bool:
    """Whether it stands for something that was removed."""
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == 0


def is_opaque(folder: str) -> bool:
    """Whether a folder was removed and made again: nothing below shows through it."""
    try:
        return os.getxattr(folder, _OPAQUE) == b"y"
    except (OSError, AttributeError):
        return False


def changes_in_private(private: str, is_temporary: Callable[[str], bool]) -> Changes:
    """The changes that the private folder of ``Redirects`` holds.

    A file in it that does not exist was made in a folder that the target had removed before.
    """
    kept = set(marked(os.path.join(private, "gone"), os.sep))
    created: list[str] = []
    for path in marked(os.path.join(private, "files"), os.sep):
        if is_there(path):
            kept.add(path)
        else:
            created.append(path)
    for path in made_in_private(private):
        created.extend(found for found in marked(path, path) if not is_cache(found))
    return Changes(
        tuple(sorted(kept)), tuple(sorted(path for path in created if not is_temporary(path)))
    )


def made_in_private(private: str) -> list[str]:
    """Real paths of what this run made under its real name: a folder stands for all in it."""
    return list(marked(os.path.join(private, "made"), os.sep))
