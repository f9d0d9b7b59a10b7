"""Puts our file functions where targets find Python's own."""

from __future__ import annotations

import builtins
import copyreg
import functools
import io
import os
import shutil
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .functions import ATTRIBUTES, READERS, Functions


def install(functions: Functions) -> None:
    """Put them where targets find Python's own."""
    copyreg.pickle(staticmethod, _by_name)
    for name, original in functions.originals.items():
        if name in ("builtin_open", "rmtree"):
            continue
        if name in ATTRIBUTES:
            function = functions.attribute(name)
        elif name in READERS:
            function = functions.reader(name)
        else:
            function = getattr(functions, name)
        replacement = _replacement(function, original, "os", name)
        setattr(os, name, replacement)
        for group in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks,
                      os.supports_effective_ids):  # fmt: skip
            if original in group:
                group.add(replacement)
        _replace_in_pathlib(name, replacement)
    opened = _replacement(functions.builtin_open, functions.originals["builtin_open"], "io", "open")
    builtins.open = io.open = opened
    _replace_in_pathlib("open", opened)
    original_open = functions.originals["builtin_open"]
    for module, attribute in (("bz2", "_builtin_open"), ("tokenize", "_builtin_open"),
                              ("tarfile", "bltn_open")):  # fmt: skip
        loaded = sys.modules.get(module)
        if getattr(loaded, attribute, None) is original_open:
            setattr(loaded, attribute, opened)
    shutil.rmtree = _replacement(functions.rmtree, shutil.rmtree, "shutil", "rmtree")
    _replace_on_windows()


def _replacement(function: Callable[..., Any], original: Any, module: str, name: str) -> Any:
    """``function`` in the clothes of ``original``.

    A ``staticmethod`` can be called and, like a builtin, does not become a method where somebody
    makes it an attribute of a class.
    """
    call = function if isinstance(function, FunctionType) else _calling(function)
    functools.update_wrapper(call, original)
    call.__module__, call.__name__, call.__qualname__ = module, name, name
    replacement = staticmethod(call)
    vars(replacement).update(vars(call))  # shutil.rmtree.avoids_symlink_attacks
    return replacement


def _calling(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function, which unlike a method may be given other clothes."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    return call


def _by_name(method: Any) -> str:
    """Functions are pickled by name; this is how Python's own are."""
    return str(method.__name__)


def _replace_in_pathlib(name: str, replacement: Any) -> None:
    """The pathlib of Python 3.10 took its functions when it was imported."""
    accessor = getattr(sys.modules.get("pathlib"), "_NormalAccessor", None)
    if accessor is not None and name in vars(accessor):
        setattr(accessor, name, replacement)
    globber = getattr(sys.modules.get("glob"), "_StringGlobber", None)
    if globber is not None and name in vars(globber):
        setattr(globber, name, replacement)


def _replace_on_windows() -> None:
    """There ``os.path`` asks the system itself, from Python 3.12 on."""
    if os.name != "nt":
        return
    import genericpath
    import ntpath

    def is_dir(path: Any) -> bool:
        return _has(path, lambda mode: (mode & 0o170000) == 0o040000)

    def is_file(path: Any) -> bool:
        return _has(path, lambda mode: (mode & 0o170000) == 0o100000)

    def exists(path: Any) -> bool:
        return _has(path, lambda _: True)

    for module in (genericpath, ntpath):
        module.isdir, module.isfile, module.exists = is_dir, is_file, exists  # type: ignore[attr-defined]


def _has(path: Any, check: Callable[[int], bool]) -> bool:
    try:
        return check(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
