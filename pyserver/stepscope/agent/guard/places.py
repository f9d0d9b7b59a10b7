"""Names of files: which file a name means, and which names are nobody's to keep."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable

# Taken before anything is replaced: here the real file system is meant.
_readlink, _getcwd, _realpath = os.readlink, os.getcwd, os.path.realpath
_MAX_LINKS = 40  # as Linux has it
_SYSTEM = ("/dev", "/proc", "/sys", "/run") if os.name == "posix" else ()


class Exempt:
    """Paths that are left alone: a longer prefix decides over a shorter one.

    ``guarded`` are the person's own folders, which may lie inside a cache; ``free`` are caches
    (overwriting is what they are for), our own private folder, and roots that an overlay covers.
    """

    def __init__(self, guarded: Iterable[str], free: Iterable[str]) -> None:
        rules = {_real(path): False for path in guarded}
        rules.update((_real(path), True) for path in (*free, *_SYSTEM))
        self._rules = sorted(rules.items(), key=lambda rule: -len(rule[0]))

    def __call__(self, path: str) -> bool:
        """Whether ``path``, absolute and free of links, is left alone."""
        if f"{os.sep}__pycache__{os.sep}" in path:
            return True
        for prefix, free in self._rules:
            if path.startswith(prefix) and (
                len(path) == len(prefix) or path[len(prefix)] == os.sep
            ):
                return free
        return False


def caches() -> list[str]:
    """Where libraries keep what they can make or fetch again."""
    home = os.path.expanduser("~")
    found = [os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")]
    found += [os.path.join(home, name) for name in (".triton", ".nv")]
    if sys.platform == "darwin":
        found.append(os.path.join(home, "Library", "Caches"))
    names = ("HF_HOME", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "MPLCONFIGDIR")
    found += [value for name in names if (value := os.environ.get(name))]
    try:
        user = os.environ.get("USER") or os.environ.get("USERNAME") or _login()
        found.append(os.path.join(tempfile.gettempdir(), f"torchinductor_{user}"))
    except (KeyError, OSError):
        pass
    return found


def _login() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def absolute(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """The path as text, from the root on; links and ``..`` are still in it."""
    text = path if type(path) is str else os.fsdecode(path)
    if os.sep == "/":
        return text if text[:1] == "/" else f"{_getcwd()}/{text}"
    return text if os.path.isabs(text) else os.path.join(_getcwd(), text)


def follow(
    path: str, link: Callable[[str], str | None], last: bool, start: str | None = None
) -> str:
    """``path`` without links, as far as ``link`` (path -> where it leads, or None) knows them.

    ``last`` False: a link that the whole path names is not followed. ``start`` is a folder that is
    known to be free of links, and ``path`` then relative to it. Raises OSError on a circle.
    """
    done = os.path.abspath(os.sep) if start is None else start
    rest = path.split(os.sep)[::-1]
    links = 0
    while rest:
        part = rest.pop()
        if part in ("", os.curdir):
            continue
        if part == os.pardir:
            done = os.path.dirname(done)
            continue
        step = os.path.join(done, part)
        target = None if not rest and not last else link(step)
        if target is None:
            done = step
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(40, os.strerror(40), path)
        if os.path.isabs(target):
            done = os.path.abspath(os.sep)
        rest.extend(target.split(os.sep)[::-1])
    return done


def real_link(path: str) -> str | None:
    """Where a link of the real file system leads; None: it is none."""
    try:
        return _readlink(path)
    except OSError:
        return None


def folder_of(descriptor: int) -> str | None:
    """The path of an open folder; None where the system does not tell."""
    try:
        if sys.platform == "linux":
            return _readlink(f"/proc/self/fd/{descriptor}")
        if sys.platform == "darwin":
            import fcntl

            told = fcntl.fcntl(descriptor, 50, b"\0" * 1024)  # F_GETPATH
            return os.fsdecode(told.rstrip(b"\0"))
    except OSError:
        pass
    return None


def is_folder(mode: int) -> bool:
    """Whether the mode of a ``stat`` is a folder's."""
    return stat.S_ISDIR(mode)


def _real(path: str) -> str:
    return _realpath(path)
