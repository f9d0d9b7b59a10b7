"""The real file system, whatever the target sees: what the guard itself does there."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator

# Taken before anything is replaced.
_lstat, _listdir, _access = os.lstat, os.listdir, os.access
_os_open, _mkdir, _unlink, _rmdir = os.open, os.mkdir, os.unlink, os.rmdir
_replace, _symlink, _readlink = os.replace, os.symlink, os.readlink
_chmod, _utime = os.chmod, os.utime


def is_there(path: str) -> bool:
    """Whether something really has that name, whatever the target sees."""
    return try_lstat(path) is not None


def folders_in(path: str) -> Iterator[str]:
    """The folder ``path`` and those below it; nothing where it is none."""
    found = try_lstat(path)
    if found is None or not stat.S_ISDIR(found.st_mode):
        return
    yield path
    for name in sorted(_listdir(path)):
        yield from folders_in(os.path.join(path, name))


def marked(tree: str, path: str) -> Iterator[str]:
    """Everything but folders below the folder ``tree``, named as if that were ``path``."""
    found = try_lstat(tree)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        yield path
        return
    for name in sorted(_listdir(tree)):
        yield from marked(os.path.join(tree, name), os.path.join(path, name))


def try_lstat(path: str) -> os.stat_result | None:
    """Its ``lstat``, None where nothing has that name."""
    try:
        return _lstat(path)
    except OSError:
        return None


def may_remove(path: str) -> bool:
    """Whether this process may remove what is there."""
    return _access(os.path.dirname(path), os.W_OK | os.X_OK)


def make_folders(path: str) -> None:
    """Make a folder and those above it."""
    try:
        _mkdir(path)
    except FileExistsError:
        pass
    except FileNotFoundError:
        make_folders(os.path.dirname(path))
        make_folders(path)


def touch(path: str) -> None:
    """Make an empty file."""
    os.close(_os_open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def wipe(path: str) -> None:
    """Remove what is there, of whatever kind; never through a link."""
    found = try_lstat(path)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        _unlink(path)
        return
    if found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        _chmod(path, stat.S_IRWXU)
    for name in _listdir(path):
        wipe(os.path.join(path, name))
    _rmdir(path)


def copy(source: str, goal: str, found: os.stat_result) -> None:
    """Copy a file or a link with its mode and times; ``goal`` appears when it is whole."""
    if stat.S_ISLNK(found.st_mode):
        wipe(goal)
        _symlink(_readlink(source), goal)
        return
    partial = f"{goal}.{os.getpid()}.{threading.get_ident()}.partial"
    binary = getattr(os, "O_BINARY", 0)
    reading = _os_open(source, os.O_RDONLY | binary)
    try:
        writing = _os_open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | binary, 0o600)
        try:
            while block := os.read(reading, 1 << 20):
                while block:
                    block = block[os.write(writing, block) :]
        finally:
            os.close(writing)
        _chmod(partial, stat.S_IMODE(found.st_mode))
        _utime(partial, ns=(found.st_atime_ns, found.st_mtime_ns))
        _replace(partial, goal)
    except BaseException:
        wipe(partial)
        raise
    finally:
        os.close(reading)


def move(source: str, goal: str) -> None:
    """Rename, over what is there and to other file systems too."""
    try:
        _replace(source, goal)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy(source, goal, _lstat(source))
        _unlink(source)
