"""Renaming where one of the two names existed: what existed is copied, what is ours is moved."""

from __future__ import annotations

import errno
import os
import stat

from .disk import copy, move, try_lstat, wipe
from .redirects import Name, Place, Redirects

# Taken before anything is replaced: in this file the real file system is meant.
_lstat, _mkdir, _chmod = os.lstat, os.mkdir, os.chmod


def rename(view: Redirects, path: Name, to: Name, source: str, goal: str) -> None:
    """``os.replace`` where one of the two existed. Raises what the system would raise."""
    with view.lock:
        view.check_folder(os.path.dirname(source), path, to)
        view.check_folder(os.path.dirname(goal), path, to)
        at = view.where(source)
        if at is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path, None, to)
        if source == goal:
            return
        mode = _lstat(at).st_mode
        folder = stat.S_ISDIR(mode)
        if folder or stat.S_ISLNK(mode):
            view.has_links()  # among what is moved there may be some
        _check_rename(view, path, to, source, goal, folder)
        if folder:
            _rename_folder(view, to, source, goal)
        else:
            _rename_file(view, to, source, goal, at)
        view.changed()


def _check_rename(
    view: Redirects, path: Name, to: Name, source: str, goal: str, folder: bool
) -> None:
    wrong = 0
    there = view.where(goal)
    if folder and goal.startswith(source + os.sep):
        wrong = errno.EINVAL
    elif source.startswith(goal + os.sep):
        wrong = errno.ENOTEMPTY
    elif there is not None:
        onto = stat.S_ISDIR(_lstat(there).st_mode)
        if onto and not folder:
            wrong = errno.EISDIR
        elif folder and not onto:
            wrong = errno.ENOTDIR
        elif folder and view.names(goal):
            wrong = errno.ENOTEMPTY
    if wrong:
        raise OSError(wrong, os.strerror(wrong), path, None, to)


def _rename_file(view: Redirects, to: Name, source: str, goal: str, at: str) -> None:
    free = view.is_free(goal)
    place = Place(new=goal) if free else view.landing(goal, to)
    there = None if free else try_lstat(goal)
    if there is not None and stat.S_ISLNK(there.st_mode):
        view.hide(goal)  # nothing may follow it any more
    landing = place.at or goal
    if at != source or view.is_ours(source) or view.exempt(source):
        move(at, landing)
        if at == source:
            view.unmark_made(source)
        else:
            view.hide(source)
    else:
        copy(at, landing, _lstat(at))
        view.hide(source)
    view.written(place)


def _rename_folder(view: Redirects, to: Name, source: str, goal: str) -> None:
    if view.where(goal) is not None:
        if view.is_free(goal):
            wipe(goal)
        else:
            wipe(view.mirror(view.files, goal))
            view.hide(goal)
    place = view.landing(goal, to)
    landing = place.at or goal
    copy_tree(view, source, landing)
    view.written(place)
    if view.is_ours(source) or view.exempt(source):
        wipe(source)
        view.unmark_made(source)
    else:
        view.remove_tree(source)


def copy_tree(view: Redirects, source: str, landing: str) -> None:
    """Copy what the target sees at ``source``, folder or file, to the real ``landing``."""
    at = view.where(source) or source
    found = _lstat(at)
    if not stat.S_ISDIR(found.st_mode):
        copy(at, landing, found)
        return
    _mkdir(landing)
    for name in view.names(source):
        copy_tree(view, os.path.join(source, name), os.path.join(landing, name))
    _chmod(landing, stat.S_IMODE(found.st_mode))
