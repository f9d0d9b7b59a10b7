"""The redirected view against a real file system that undergoes the same operations."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stepscope.agent.guard.functions import Functions
from stepscope.agent.guard.places import Exempt
from stepscope.agent.guard.redirects import Redirects

NAMES = ("a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "n", "n/a", "l", "l/a")
ONE = (
    "read", "write", "append", "change", "exclusive", "remove", "unlink", "rmdir", "mkdir",
    "rmtree", "truncate", "listdir", "scandir", "exists", "isdir", "walk", "osopen", "readlink",
    "chmod", "size",
)  # fmt: skip
TWO = ("rename", "replace", "symlink", "move", "copy", "copytree", "save")

OPERATION = st.one_of(
    st.tuples(st.sampled_from(ONE), st.sampled_from(NAMES), st.just("")),
    st.tuples(st.sampled_from(TWO), st.sampled_from(NAMES), st.sampled_from(NAMES)),
)


class Plain:
    """Python's own functions."""

    def __init__(self) -> None:
        self.builtin_open: Any = open
        self.rmtree: Any = shutil.rmtree
        for name in ("open", "remove", "unlink", "rmdir", "mkdir", "rename", "replace", "symlink",
                     "link", "stat", "lstat", "readlink", "listdir", "scandir", "truncate",
                     "chmod"):  # fmt: skip
            setattr(self, name, getattr(os, name))


class Guarded(Plain):
    """Ours, asked directly: nothing is replaced in this process."""

    def __init__(self, functions: Functions) -> None:
        super().__init__()
        for name in list(vars(self)):
            if name in ("stat",):
                setattr(self, name, functions.reader(name))
            elif name in ("truncate", "chmod"):
                setattr(self, name, functions.attribute(name))
            else:
                setattr(self, name, getattr(functions, name))


def perform(fs: Any, root: str, kind: str, first: str, second: str, count: int) -> Any:
    """One operation: what it returned, or what it raised."""
    path, other = os.path.join(root, first), os.path.join(root, second)
    text = f"{count}"
    try:
        return _perform(fs, kind, path, other, text)
    except OSError as error:
        if "private" in str(error):
            return f"names a place that the target does not know: {error}"
        # Of two reasons to refuse, which one comes first is the system's own affair.
        return "failed" if second else (type(error).__name__, error.errno)


def _perform(fs: Any, kind: str, path: str, other: str, text: str) -> Any:
    if kind in ("write", "append", "exclusive", "change"):
        mode = {"write": "w", "append": "a", "exclusive": "x", "change": "r+"}[kind]
        with fs.builtin_open(path, mode) as file:
            assert file.name == path
            file.write(text)
        return None
    if kind == "read":
        with fs.builtin_open(path) as file:
            return file.read()
    if kind == "osopen":
        descriptor = fs.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(descriptor, text.encode())
        os.close(descriptor)
        return None
    if kind == "save":  # to a temporary name, then over the real one
        with fs.builtin_open(f"{path}.tmp", "w") as file:
            file.write(text)
        return fs.replace(f"{path}.tmp", other)
    if kind == "copy":
        with fs.builtin_open(path) as source:
            read = source.read()
        with fs.builtin_open(other, "w") as goal:
            goal.write(read)
        return None
    if kind == "move":
        return fs.rename(path, other)
    if kind == "copytree":
        return _copy_tree(fs, path, other)
    if kind == "truncate":
        return fs.truncate(path, 1)
    if kind == "chmod":
        return fs.chmod(path, 0o755)
    if kind == "listdir":
        return sorted(fs.listdir(path))
    if kind == "scandir":
        with fs.scandir(path) as entries:
            return sorted(entry.name for entry in entries)
    if kind == "walk":
        return _see(fs, path)
    if kind == "exists":
        return fs.stat(path).st_mode & 0o170000
    if kind == "isdir":
        return fs.lstat(path).st_mode & 0o170000
    if kind == "size":
        found = fs.stat(path)
        return found.st_size if found.st_mode & 0o100000 else None
    if kind == "symlink":
        return fs.symlink(os.path.basename(path), other)
    if kind in ("rename", "replace", "link"):
        return getattr(fs, kind)(path, other)
    if kind == "rmtree":
        return _remove_tree(fs, path)
    return getattr(fs, kind)(path)


def _remove_tree(fs: Any, path: str) -> None:
    if isinstance(fs, Guarded):
        fs.rmtree(path)
        return
    shutil.rmtree(path)


def _copy_tree(fs: Any, path: str, other: str) -> None:
    fs.mkdir(other)
    for name in fs.listdir(path):
        inner = os.path.join(path, name)
        if (fs.lstat(inner).st_mode & 0o170000) == 0o100000:
            _perform(fs, "copy", inner, os.path.join(other, name), "")


def _see(fs: Any, path: str) -> Any:
    mode = fs.lstat(path).st_mode & 0o170000
    if mode == 0o120000:
        return ("link", fs.readlink(path))
    if mode == 0o040000:
        return {name: _see(fs, os.path.join(path, name)) for name in sorted(fs.listdir(path))}
    with fs.builtin_open(path) as file:
        return (fs.lstat(path).st_mode & 0o777, file.read())


def _populate(root: str) -> None:
    os.makedirs(os.path.join(root, "d", "e"))
    for name in ("a", "d/a", "d/e/a"):
        Path(root, name).write_text(f"original {name}")
    os.symlink("d", os.path.join(root, "l"))


def _snapshot(root: str) -> Any:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_mode, path.lstat().st_ino,
                    path.read_text() if path.is_file() else None)
        for path in sorted(Path(root).rglob("*"))
    }  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(OPERATION, max_size=14))
@example([("write", "n/a", ""), ("symlink", "d", "n"), ("rename", "a", "n/a")])
def test_the_target_sees_what_it_did_and_the_originals_stay(
    operations: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as base:
        base = os.path.realpath(base)
        plain_root, guarded_root = os.path.join(base, "plain"), os.path.join(base, "guarded")
        _populate(plain_root)
        _populate(guarded_root)
        before = _snapshot(guarded_root)
        redirects = Redirects(os.path.join(base, "private"), Exempt([guarded_root], []))
        plain, guarded = Plain(), Guarded(Functions(redirects, lambda path: False))
        for count, (kind, first, second) in enumerate(operations):
            expected = perform(plain, plain_root, kind, first, second, count)
            found = perform(guarded, guarded_root, kind, first, second, count)
            assert found == expected, (kind, first, second)
        assert _see(guarded, guarded_root) == _see(plain, plain_root)
        after = _snapshot(guarded_root)
        changed = [path for path in before if after.get(path) != before[path]]
        # A folder's own times change with new files in it.
        assert [p for p in changed if not os.path.isdir(p) or p not in after] == []
        for path in after.keys() - before.keys():
            assert redirects.is_ours(path), f"{path} is new, and not listed"
