"""No run does harm: files that existed stay as they are, services stay untouched.

``install`` is called before the target runs, in the first process and in each spawned child of it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

from . import layers, overlay, replacing, trackers, writers
from .disk import wipe
from .functions import Functions
from .layers import Changes
from .places import Exempt, caches
from .redirects import Redirects


class Guard:
    """What is in place in this process."""

    def __init__(self, config: dict[str, Any], covered: list[overlay.Layer], redirects: Redirects):
        self._private: str = config["private"]
        self._scratch: list[str] = config["free"]
        self._covered = covered
        self._below: dict[str, int] = config.get("below", {})
        self.redirects = redirects
        self.mode = "overlay" if covered else "functions"

    def facts(self) -> dict[str, Any]:
        """What the target did to files so far, for the capture."""
        found = self.changes()
        return {
            "guard": self.mode,
            "kept": list(found.kept[: layers.LISTED]),
            "created": list(found.created[: layers.LISTED]),
        }

    def changes(self) -> Changes:
        """What the target did to files so far."""
        found = [layers.changes_in_private(self._private, _is_temporary(self._private))]
        for layer in self._covered:
            below = _lookup(self._below[layer.root])
            found.append(layers.changes_in_layer(layer.root, layer.upper, below))
        return Changes(
            tuple(path for changes in found for path in changes.kept),
            tuple(path for changes in found for path in changes.created),
        )

    def tidy(self) -> None:
        """The session died: nobody else takes away what it made for us."""
        for path in self._scratch:
            wipe(path)


def install(config: dict[str, Any], note: Callable[[str], None]) -> Guard | None:
    """Guard this process; None where the person does not want it.

    ``config["guard"]`` holds ``private`` (a folder for us), ``roots``, ``layers`` (root, upper,
    work) and ``free`` (folders of ours, removed in the end). Handed to a child, it makes the child
    part of the same run. ``note`` gets a sentence when a service is put offline. Call it before any
    thread is started.
    """
    wanted = config.get("guard")
    if wanted is None:
        return None
    possible = [overlay.Layer(*layer) for layer in wanted["layers"]]
    if "covered" not in wanted:
        wanted["below"] = {layer.root: _open_folder(layer.root) for layer in possible}
        wanted["covered"] = overlay.enter(possible)
    covered = [layer for layer in possible if layer.root in wanted["covered"]]
    roots = [root for root in wanted["roots"] if root not in wanted["covered"]]
    free = [*caches(), *wanted["free"], *wanted["covered"]]
    redirects = Redirects(wanted["private"], Exempt(roots, free))
    guard = Guard(wanted, covered, redirects)
    with open(os.path.join(wanted["private"], layers.COVERED), "w", encoding="utf-8") as told:
        json.dump(wanted["covered"], told)  # for the session
    inside = tuple(root + os.sep for root in wanted["covered"])
    replacing.install(Functions(redirects, lambda path: path.startswith(inside)))
    writers.install(redirects, note)
    trackers.install(wanted["private"], note)
    return guard


def _open_folder(path: str) -> int:
    """A folder as it is before something is put over it; -1 where the system has no such thing."""
    flags = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)
    try:
        return os.open(path, flags) if flags else -1
    except OSError:
        return -1


def _lookup(folder: int) -> Callable[[str], bool]:
    def exists(relative: str) -> bool:
        try:
            os.lstat(relative, dir_fd=folder)
        except OSError:
            return False
        return True

    return exists


def _is_temporary(private: str) -> Callable[[str], bool]:
    """Files that nobody expects to find again."""
    folder = os.path.realpath(tempfile.gettempdir()) + os.sep

    def is_temporary(path: str) -> bool:
        rest = path[len(folder) :] if path.startswith(folder) else None
        return rest is not None and rest.startswith(("tmp", "pymp-", "torch"))

    return is_temporary
