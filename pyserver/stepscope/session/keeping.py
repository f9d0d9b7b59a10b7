"""The session's side of the guard: where private copies go, and what is left of a run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stepscope.agent.guard import layers
from stepscope.agent.guard.disk import folders_in, wipe
from stepscope.session.inventory import changed_since, take_inventory
from stepscope.session.model import FilesAfter, NewFile, ProfileRequest


class Keeper:
    """Prepares each start of the agent, and looks at the files once its last process has ended."""

    def __init__(self, request: ProfileRequest, folder: Path) -> None:
        """``folder`` is the run's own; everything in it is gone after the run."""
        cwd = request.cwd or Path.cwd()
        folders = [cwd, request.target.absolute().parent, *request.workspace]
        self._roots = _outermost([os.path.realpath(path) for path in folders])
        self._folder = os.path.realpath(folder)
        self._wanted = request.guard
        self._private: str | None = None
        self._layers: list[tuple[str, str, str]] = []
        self._scratch = [self._folder]
        self._attempts = 0
        self._before = take_inventory(self._roots) if request.guard else {}

    def config(self) -> dict[str, Any] | None:
        """What the agent is told for its next start; None: it is not to guard anything."""
        if not self._wanted:
            return None
        self._attempts += 1
        private = os.path.join(self._folder, f"guard-{self._attempts}")
        os.makedirs(private)
        if self._private is not None:
            # A second start is a fresh one, but what the first one made is still the run's own.
            with contextlib.suppress(OSError):
                os.rename(os.path.join(self._private, "made"), os.path.join(private, "made"))
        self._private = private
        self._layers = self._make_layers()
        return {
            "private": private,
            "roots": self._roots,
            "layers": self._layers,
            "free": self._scratch,
        }

    def _make_layers(self) -> list[tuple[str, str, str]]:
        if sys.platform != "linux" or os.environ.get("STEPSCOPE_GUARD") == "functions":
            return []
        made = []
        for number, root in enumerate(self._roots):
            if not _may_be_covered(root, self._scratch):
                continue
            base = os.path.join(self._scratch_for(root), f"layer-{self._attempts}-{number}")
            upper, work = os.path.join(base, "upper"), os.path.join(base, "work")
            os.makedirs(upper)
            os.makedirs(work)
            shutil.copymode(root, upper)
            made.append((root, upper, work))
        return made

    def _scratch_for(self, root: str) -> str:
        """A folder of ours on the root's own disk if there is one: new files need no copy then."""
        if _same_disk(root, self._folder):
            return self._folder
        if len(self._scratch) == 1:
            cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
            above = os.path.join(cache, "stepscope")
            try:
                os.makedirs(above, exist_ok=True)
                self._scratch.append(os.path.realpath(tempfile.mkdtemp(dir=above)))
            except OSError:
                return self._folder
        return self._scratch[-1]

    def finish(self) -> FilesAfter:
        """Give new files to the person, drop the rest; call it when the target has ended."""
        if self._private is None:
            return FilesAfter("off")
        covered = _covered(self._private)
        kept: list[str] = []
        created: list[str] = []
        made = layers.made_in_private(self._private)
        folders = [folder for path in made for folder in folders_in(path)]
        for root, upper, _ in self._layers:
            if root in covered:
                found = layers.changes_in_layer(root, upper, partial(_exists_in, root))
                kept += found.kept
                created += _deliver(root, upper, folders)
        rest = layers.changes_in_private(self._private, _never)
        kept += rest.kept
        created += _deliver_private(self._private, rest.created, folders)
        # What lies under a layer, nothing of the target's could reach.
        inside = tuple(root + os.sep for root in covered)
        changed = [path for path in changed_since(self._before) if not path.startswith(inside)]
        ours = set(kept) | set(created)
        for path in self._scratch:
            wipe_quietly(path)
        return FilesAfter(
            "overlay" if covered else "functions",
            tuple(sorted(set(kept))[: layers.LISTED]),
            tuple(new for path in sorted(set(created)) if (new := _new_file(path)) is not None),
            tuple(sorted(set(folders))),
            tuple(path for path in changed if path not in ours or not os.path.lexists(path)),
        )


def remove_new_files(
    files: Sequence[NewFile], folders: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Remove what a run left, and its folders that are empty then.

    (Removed, left because they have changed since): paths of files.
    """
    removed: list[str] = []
    left: list[str] = []
    for file in files:
        if _new_file(file.path) != file:
            if os.path.lexists(file.path):
                left.append(file.path)
            continue
        try:
            os.unlink(file.path)
        except OSError:
            left.append(file.path)
        else:
            removed.append(file.path)
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
    return removed, left


def wipe_quietly(path: str) -> None:
    """Remove a folder of ours, whatever is in it."""
    with contextlib.suppress(OSError):
        wipe(path)


def _covered(private: str) -> list[str]:
    try:
        told = Path(private, layers.COVERED).read_text(encoding="utf-8")
    except OSError:
        return []
    return list(json.loads(told))


def _deliver(root: str, upper: str, folders: list[str]) -> list[str]:
    """Move new files from a layer to where the target thought it made them; their real paths.

    New folders are added to ``folders``.
    """
    created: list[str] = []
    for relative, found in list(layers.walk_layer(upper, caches=True)):
        source, goal = os.path.join(upper, relative), os.path.join(root, relative)
        if layers.is_whiteout(found) or os.path.lexists(goal):
            continue
        if os.path.isdir(source) and not os.path.islink(source):
            folders += _make_folders(goal)
            shutil.copymode(source, goal)
        else:
            try:
                folders += _make_folders(os.path.dirname(goal))
                _move_new(source, goal)
            except OSError:
                continue  # somebody was faster with that name
            if not layers.is_cache(relative):
                created.append(goal)
    return created


def _deliver_private(private: str, created: Sequence[str], folders: list[str]) -> list[str]:
    """The same for what was made in a folder that the target had removed, and made again."""
    for path in created:
        source = os.path.join(private, "files") + path
        if os.path.lexists(source) and not os.path.lexists(path):
            with contextlib.suppress(OSError):
                folders += _make_folders(os.path.dirname(path))
                _move_new(source, path)
    return list(created)


def _make_folders(path: str) -> list[str]:
    """Make a folder and those above it; returns the new ones."""
    made = []
    above = path
    while not os.path.isdir(above):
        made.append(above)
        above = os.path.dirname(above)
    os.makedirs(path, exist_ok=True)
    return made


def _move_new(source: str, goal: str) -> None:
    """Never over anything."""
    try:
        os.link(source, goal, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        shutil.move(source, goal)


def _outermost(folders: list[str]) -> list[str]:
    found: list[str] = []
    for folder in sorted(set(folders), key=len):
        if not any(folder == above or folder.startswith(above.rstrip(os.sep) + os.sep)
                   for above in found):  # fmt: skip
            found.append(folder)
    return found


def _may_be_covered(root: str, scratch: Sequence[str]) -> bool:
    """Not the system, not a whole home, and nothing that our own folders lie in."""
    inside = [os.path.expanduser("~"), tempfile.gettempdir(), *scratch]
    inside.append(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    above = root.rstrip(os.sep) + os.sep
    return all(not (os.path.realpath(path) + os.sep).startswith(above) for path in inside)


def _same_disk(one: str, other: str) -> bool:
    try:
        return os.stat(one).st_dev == os.stat(other).st_dev
    except OSError:
        return False


def _new_file(path: str) -> NewFile | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return NewFile(path, found.st_size, found.st_mtime_ns)


def _exists_in(root: str, relative: str) -> bool:
    return os.path.lexists(os.path.join(root, relative))


def _never(_path: str) -> bool:
    return False
