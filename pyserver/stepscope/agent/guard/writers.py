"""Writers that open files below Python: told the private place by name.

torch's archives, safetensors and SQLite. Images (PIL), numpy, TensorBoard, JSON, logging and the
like go through Python's own functions and need nothing here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..standing_for import standing_for
from .following import follow
from .redirects import Place, Redirects


def install(redirects: Redirects, note: Callable[[str], None]) -> None:
    """Follow the imports of what is known; ``note`` gets a sentence where that goes wrong."""
    follow("torch", lambda torch: _torch(redirects, torch), note)
    follow("safetensors", lambda module: _safetensors(redirects, module), note)
    follow("sqlite3", lambda module: _sqlite(redirects, module), note)


def _torch(redirects: Redirects, torch: Any) -> None:
    native = getattr(torch, "_C", None)
    if native is None:
        return  # no torch that we know: it is refused right after this
    # Classes still: torch asks whether something is one. torch.save, torch.export and
    # torch.package all look them up here when they need one.
    native.PyTorchFileWriter = _archive(native.PyTorchFileWriter, _Writing(redirects))
    native.PyTorchFileReader = _archive(native.PyTorchFileReader, _Reading(redirects))
    torch.load = torch.serialization.load = _wrapped(torch.load, _Reading(redirects), 0, "f")
    torch.jit.load = _wrapped(torch.jit.load, _Reading(redirects), 0, "f")
    torch.jit.save = _wrapped(torch.jit.save, _Writing(redirects), 1, "f")
    for name in ("ScriptModule", "RecursiveScriptModule"):
        kind = getattr(torch.jit, name, None)
        if kind is not None and "save" in vars(kind):
            kind.save = _wrapped(kind.save, _Writing(redirects), 1, "f")


def _safetensors(redirects: Redirects, module: ModuleType) -> None:
    # Its submodules take these names from here when they are imported, which is later.
    for name, place, position in (
        ("serialize_file", _Writing(redirects), 1),
        ("safe_open", _Reading(redirects), 0),
    ):
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _wrapped(original, place, position, "filename"))


def _sqlite(redirects: Redirects, module: Any) -> None:
    connect = module.connect

    @standing_for(connect)
    def guarded(database: Any, *args: Any, **kwargs: Any) -> Any:
        is_file = isinstance(database, (str, bytes, os.PathLike)) and os.fspath(database)
        if not is_file or os.fsdecode(database).startswith((":memory:", "file:")):
            return connect(database, *args, **kwargs)
        # What is not in the database yet lies beside it.
        for suffix in ("-wal", "-journal"):
            beside = os.fsdecode(database) + suffix
            if os.path.exists(beside):
                redirects.for_writing(beside, keep=True)
        place = redirects.for_writing(database, keep=True)
        connection = connect(database if place.at is None else place.at, *args, **kwargs)
        redirects.written(place)
        return connection

    module.connect = module.dbapi2.connect = guarded


class _Writing:
    """Finds the place to write to, and says that it was written."""

    def __init__(self, redirects: Redirects) -> None:
        self._redirects = redirects

    def find(self, name: Any) -> tuple[Any, Place]:
        """(what to use as the name, the place)."""
        place = self._redirects.for_writing(name, keep=False)
        return (name if place.at is None else place.at), place

    def done(self, place: Place) -> None:
        """It is there."""
        self._redirects.written(place)


class _Reading:
    """Finds the place to read from."""

    def __init__(self, redirects: Redirects) -> None:
        self._redirects = redirects

    def find(self, name: Any) -> tuple[Any, Place]:
        """(what to use as the name, nothing)."""
        return self._redirects.for_reading(name), Place()

    def done(self, place: Place) -> None:
        """Nothing is left to do."""


def _wrapped(
    original: Any, places: _Writing | _Reading, position: int, keyword: str
) -> Callable[..., Any]:
    """``original`` with the file name among its arguments replaced by where to go."""

    @standing_for(original)
    def go(*args: Any, **kwargs: Any) -> Any:
        name = kwargs.get(keyword) if len(args) <= position else args[position]
        if not isinstance(name, (str, os.PathLike)):
            return original(*args, **kwargs)
        at, place = places.find(name)
        if keyword in kwargs:
            kwargs[keyword] = at
        else:
            args = (*args[:position], at, *args[position + 1 :])
        result = original(*args, **kwargs)
        places.done(place)
        return result

    return go


def _archive(kind: Any, places: _Writing | _Reading) -> Any:
    """An archive class of torch, opened elsewhere."""

    def start(self: Any, name: Any, *args: Any) -> None:
        if isinstance(name, (str, os.PathLike)):
            at, place = places.find(name)
            kind.__init__(self, os.fspath(at), *args)
            places.done(place)
        else:
            kind.__init__(self, name, *args)

    members = {"__init__": start, "__doc__": kind.__doc__, "__module__": kind.__module__}
    return type(kind.__name__, (kind,), members)
