"""Python's own file functions, as ones that ask ``Redirects`` where to go."""

# ruff: noqa: D102 (each has the name, the parameters and the meaning of Python's own)

from __future__ import annotations

import builtins
import errno
import os
import shutil
from collections.abc import Callable
from typing import Any

from . import places
from .redirects import Name, Redirects
from .renames import rename
from .scan import Entry, Scan

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NO_NAME = getattr(os, "O_TMPFILE", 0)
# What a file carries beside its contents: existing ones keep theirs.
ATTRIBUTES = ("chmod", "lchmod", "chown", "lchown", "utime", "setxattr", "removexattr",
               "chflags", "lchflags", "truncate")  # fmt: skip
_ABOUT_LINKS = ("lchmod", "lchown", "lchflags")
READERS = ("stat", "access", "statvfs", "pathconf", "getxattr", "listxattr")


class Functions:
    """The functions, each with the parameters of the one that it stands for.

    A descriptor or a path that is nobody's to keep is handed on as it came; so is everything that
    is only read, as long as nothing has been redirected.
    """

    def __init__(self, redirects: Redirects, moves_across: Callable[[str], bool]) -> None:
        """``moves_across`` says of which real paths a rename fails only because of our overlay."""
        self.redirects = redirects
        self._moves_across = moves_across
        self.originals: dict[str, Any] = {
            name: getattr(os, name)
            for name in (
                "open", "remove", "unlink", "rmdir", "mkdir", "rename", "replace", "symlink",
                "link", "lstat", "readlink", "listdir", "scandir", "chdir", "getcwd", "mkfifo",
                *ATTRIBUTES, *READERS,
            )
            if hasattr(os, name)
        }  # fmt: skip
        self.originals |= {"builtin_open": builtins.open, "rmtree": shutil.rmtree}

    # -- opening ---------------------------------------------------------------------------------

    def builtin_open(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None,
        errors: str | None = None, newline: str | None = None, closefd: bool = True,
        opener: Any = None,
    ) -> Any:  # fmt: skip
        original = self.originals["builtin_open"]
        redirects = self.redirects
        if "w" in mode or "a" in mode or "+" in mode or "x" in mode:
            # An opener of the target's own calls os.open itself.
            if opener is None and not isinstance(file, int):
                place = redirects.for_writing(file, keep="w" not in mode, fresh="x" in mode)
                given = None if place.at is None else self._opener(place.at)
                opened = original(file, mode, buffering, encoding, errors, newline, closefd, given)
                if place.new is not None:
                    redirects.written(place)
                return opened
        elif not redirects.idle() and opener is None and not isinstance(file, int):
            at = redirects.for_reading(file)
            if at is not file:
                opener = self._opener(at)
        return original(file, mode, buffering, encoding, errors, newline, closefd, opener)

    def _opener(self, place: str) -> Callable[[str, int], int]:
        """Opens the place; the file object and its errors keep the name that was asked for."""
        original = self.originals["open"]

        def open_there(path: str, flags: int) -> Any:
            try:
                return original(place, flags, 0o666)
            except OSError as error:
                _name(error, path)
                raise

        return open_there

    def open(self, path: Name, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        original = self.originals["open"]
        redirects = self.redirects
        if not flags & _WRITES or (_NO_NAME and flags & _NO_NAME == _NO_NAME):
            if redirects.idle():
                return int(original(path, flags, mode, dir_fd=dir_fd))
            path, dir_fd = _without_folder(path, dir_fd)
            with _named(path):
                at = redirects.for_reading(path, not flags & getattr(os, "O_NOFOLLOW", 0))
                return int(original(at, flags, mode, dir_fd=dir_fd))
        path, dir_fd = _without_folder(path, dir_fd)
        if dir_fd is not None:
            return int(original(path, flags, mode, dir_fd=dir_fd))
        fresh = bool(flags & os.O_EXCL and flags & os.O_CREAT)
        place = redirects.for_writing(path, keep=not flags & os.O_TRUNC, fresh=fresh)
        with _named(path):
            descriptor = int(original(path if place.at is None else place.at, flags, mode))
        redirects.written(place)
        return descriptor

    # -- names -----------------------------------------------------------------------------------

    def remove(self, path: Name, *, dir_fd: int | None = None) -> None:
        self._remove("remove", path, dir_fd, self.redirects.remove_file)

    def unlink(self, path: Name, *, dir_fd: int | None = None) -> None:
        self._remove("unlink", path, dir_fd, self.redirects.remove_file)

    def rmdir(self, path: Name, *, dir_fd: int | None = None) -> None:
        self._remove("rmdir", path, dir_fd, self.redirects.remove_folder)

    def _remove(
        self, name: str, path: Name, dir_fd: int | None, redirect: Callable[..., None]
    ) -> None:
        original = self.originals[name]
        path, dir_fd = _without_folder(path, dir_fd)
        real = None if dir_fd is not None else self.redirects.locate(path, last=False)
        if real is None or self.redirects.exempt(real):
            original(path, dir_fd=dir_fd)
            return
        with _named(path):
            redirect(path, real, original)

    def rmtree(self, path: Name, *args: Any, **kwargs: Any) -> None:
        original = self.originals["rmtree"]
        name, dir_fd = _without_folder(path, kwargs.get("dir_fd"))
        if dir_fd is not None:
            original(path, *args, **kwargs)
            return
        kwargs.pop("dir_fd", None)
        redirects = self.redirects
        real = redirects.locate(name, last=False)
        if redirects.is_free(real):
            original(name, *args, **kwargs)
            redirects.unmark_made(real)
            return
        at = redirects.where(real)
        folder = at is not None and os.path.isdir(at) and not os.path.islink(at)
        if folder and os.access(os.path.dirname(real), os.W_OK | os.X_OK):
            redirects.remove_tree(real)
        else:
            # It fails, and the target may have said how.
            with _named(name):
                original(redirects.for_reading(name, last=False), *args, **kwargs)

    def mkdir(self, path: Name, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        original = self.originals["mkdir"]
        path, dir_fd = _without_folder(path, dir_fd)
        real = None if dir_fd is not None else self.redirects.locate(path, last=False)
        if real is None or self.redirects.exempt(real):
            original(path, mode, dir_fd=dir_fd)
            return
        with _named(path):
            self.redirects.mkdir(path, real, lambda at: original(at, mode))

    def mkfifo(self, path: Name, mode: int = 0o666, *, dir_fd: int | None = None) -> None:
        path, dir_fd = _without_folder(path, dir_fd)
        self.originals["mkfifo"](path, mode, dir_fd=dir_fd)  # never over anything
        if dir_fd is None:
            self.redirects.mark_made(self.redirects.locate(path, last=False))

    def rename(
        self, src: Name, dst: Name, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        self._rename("rename", src, dst, src_dir_fd, dst_dir_fd)

    def replace(
        self, src: Name, dst: Name, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        self._rename("replace", src, dst, src_dir_fd, dst_dir_fd)

    def _rename(
        self, name: str, src: Name, dst: Name, src_fd: int | None, dst_fd: int | None
    ) -> None:
        original = self.originals[name]
        src, src_fd = _without_folder(src, src_fd)
        dst, dst_fd = _without_folder(dst, dst_fd)
        if src_fd is not None or dst_fd is not None:
            original(src, dst, src_dir_fd=src_fd, dst_dir_fd=dst_fd)
            return
        redirects = self.redirects
        source, goal = redirects.locate(src, last=False), redirects.locate(dst, last=False)
        if redirects.is_free(source) and redirects.is_free(goal):
            self._rename_free(original, src, dst, source, goal)
        elif os.name == "nt" and name == "rename" and redirects.where(goal) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), src, None, dst)
        else:
            rename(redirects, src, dst, source, goal)

    def _rename_free(self, original: Any, src: Name, dst: Name, source: str, goal: str) -> None:
        redirects = self.redirects
        try:
            original(redirects.name_to_use(src, source), redirects.name_to_use(dst, goal))
        except OSError as error:
            # An overlay makes two file systems of one.
            across = self._moves_across(source) or self._moves_across(goal)
            if error.errno != errno.EXDEV or not across:
                raise
            rename(self.redirects, src, dst, source, goal)
            return
        if source != goal:
            self.redirects.unmark_made(source)
            self.redirects.mark_made(goal)

    def symlink(
        self, src: Name, dst: Name, target_is_directory: bool = False, *, dir_fd: int | None = None
    ) -> None:
        original = self.originals["symlink"]
        dst, dir_fd = _without_folder(dst, dir_fd)
        if dir_fd is not None:
            original(src, dst, target_is_directory, dir_fd=dir_fd)
            return
        real = self.redirects.locate(dst, last=False)
        with _named(dst):
            self.redirects.link(dst, real, lambda at: original(src, at, target_is_directory))

    def link(self, src: Name, dst: Name, **kwargs: Any) -> None:
        original = self.originals["link"]
        source, source_fd = _without_folder(src, kwargs.get("src_dir_fd"))
        goal, goal_fd = _without_folder(dst, kwargs.get("dst_dir_fd"))
        if source_fd is not None or goal_fd is not None:
            original(src, dst, **kwargs)
            return
        redirects = self.redirects
        real, real_goal = redirects.locate(source, False), redirects.locate(goal, False)
        if redirects.is_free(real) and redirects.is_free(real_goal):
            names = redirects.name_to_use(src, real), redirects.name_to_use(dst, real_goal)
            original(*names, **kwargs)
            redirects.mark_made(real_goal)
        else:
            redirects.copy_to(source, goal, real, real_goal)

    # -- looking ---------------------------------------------------------------------------------

    def lstat(self, path: Name, *, dir_fd: int | None = None) -> os.stat_result:
        original = self.originals["lstat"]
        if self.redirects.idle():
            return original(path, dir_fd=dir_fd)  # type: ignore[no-any-return]
        path, dir_fd = _without_folder(path, dir_fd)
        with _named(path):
            return original(self._read(path, dir_fd, False), dir_fd=dir_fd)  # type: ignore[no-any-return]

    def readlink(self, path: Name, *, dir_fd: int | None = None) -> Any:
        original = self.originals["readlink"]
        if self.redirects.idle():
            return original(path, dir_fd=dir_fd)
        path, dir_fd = _without_folder(path, dir_fd)
        with _named(path):
            return original(_like(path, self._read(path, dir_fd, False)), dir_fd=dir_fd)

    def _read(self, path: Name, dir_fd: int | None, last: bool) -> Name:
        if isinstance(path, int) or dir_fd is not None:
            return path
        return self.redirects.for_reading(path, last)

    def listdir(self, path: Name = None) -> Any:
        original = self.originals["listdir"]
        if self.redirects.idle() or isinstance(path, int):
            return original(path)
        given = os.curdir if path is None else path
        with _named(given):
            names = self._names_in(given)
            if names is None:
                return original(_like(given, self.redirects.for_reading(given)))
        return [os.fsencode(name) for name in names] if isinstance(given, bytes) else names

    def _names_in(self, path: Name) -> list[str] | None:
        real = self.redirects.locate(path)
        return None if self.redirects.exempt(real) else self.redirects.names_in(real)

    def scandir(self, path: Name = None) -> Any:
        original = self.originals["scandir"]
        if self.redirects.idle() or isinstance(path, int):
            return original(path)
        given = os.curdir if path is None else path
        with _named(given):
            at = self.redirects.for_reading(given)
            names = self._names_in(given)
            if names is None and at is given:
                return original(path)
            if names is None:
                names = self.originals["listdir"](at)
        return Scan([Entry(os.fspath(given), name) for name in names])

    def chdir(self, path: Name) -> None:
        original = self.originals["chdir"]
        if isinstance(path, int):
            original(path)
            return
        at = self.redirects.for_reading(path)
        with _named(path):
            original(at)
        self.redirects.enter(self.originals["getcwd"]())

    def getcwd(self) -> str:
        return self.redirects.seen_folder(self.originals["getcwd"]())

    # -- families --------------------------------------------------------------------------------

    def reader(self, name: str) -> Callable[..., Any]:
        """A function that looks at what is under its first argument."""
        original, redirects = self.originals[name], self.redirects

        def look(path: Name, *args: Any, **kwargs: Any) -> Any:
            if isinstance(path, int):
                return original(path, *args, **kwargs)
            if not kwargs:  # by far the most frequent
                at = redirects.for_reading(path)
                if at is path:
                    return original(path, *args)
            elif redirects.idle():
                return original(path, *args, **kwargs)
            path = _take_folder(path, kwargs)
            with _named(path):
                at = self._read(path, kwargs.get("dir_fd"), kwargs.get("follow_symlinks", True))
                return original(at, *args, **kwargs)

        return look

    def attribute(self, name: str) -> Callable[..., Any]:
        """A function that changes what a file carries, or how long it is."""
        original, redirects = self.originals[name], self.redirects
        about_links = name in _ABOUT_LINKS

        def change(path: Name, *args: Any, **kwargs: Any) -> Any:
            path = path if isinstance(path, int) else _take_folder(path, kwargs)
            if isinstance(path, int) or kwargs.get("dir_fd") is not None:
                return original(path, *args, **kwargs)
            last = not about_links and kwargs.get("follow_symlinks", True)
            attributes = name != "truncate"
            if attributes and _is_others(redirects, redirects.locate(path, last)):
                return None  # a folder or a link that existed keeps what it carries
            place = redirects.for_writing(path, keep=True, last=last, attributes=attributes)
            with _named(path):
                return original(path if place.at is None else place.at, *args, **kwargs)

        return change


class _named:  # noqa: N801
    """Errors name what the target asked for, not where it lies."""

    __slots__ = ("_name",)

    def __init__(self, name: Name) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        if isinstance(error, OSError):
            _name(error, self._name)


def _name(error: OSError, name: Name) -> None:
    if error.filename2 is not None:
        error.filename2 = name
    elif error.filename is not None:
        error.filename = name


def _is_others(redirects: Redirects, real: str) -> bool:
    """A folder or link that existed before."""
    if redirects.exempt(real) or redirects.is_ours(real) or redirects.private_of(real) is not None:
        return False
    at = redirects.where(real)
    return at is not None and (os.path.isdir(at) or os.path.islink(at))


def _without_folder(path: Name, dir_fd: int | None) -> tuple[Name, int | None]:
    """The same file named without an open folder, where the system tells which one that is."""
    if dir_fd is None or os.path.isabs(path):
        return path, None
    folder = places.folder_of(dir_fd)
    return (path, dir_fd) if folder is None else (os.path.join(folder, os.fsdecode(path)), None)


def _take_folder(path: Name, kwargs: dict[str, Any]) -> Name:
    if kwargs.get("dir_fd") is not None:
        path, kwargs["dir_fd"] = _without_folder(path, kwargs["dir_fd"])
    return path


def _like(path: Name, found: Name) -> Name:
    """``found`` as bytes where the target asked in bytes."""
    return os.fsencode(found) if isinstance(path, bytes) else found
