"""A scratch layer over the person's folders, on Linux where it may be had without privileges.

In a mount namespace of its own the process sees each folder with an overlay on top: whatever it,
its children or native code write there goes to the upper layer; outside nobody sees it. It has to
happen before any thread is started, and it cannot be undone, so it is tried in a child first.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Sequence

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_REC, _MS_PRIVATE = 0x4000, 1 << 18
_CAPABILITY_VERSION = 0x20080522
_PR_SET_DUMPABLE = 4


class Layer:
    """One folder, and where its changes go: two empty folders on one file system."""

    def __init__(self, root: str, upper: str, work: str) -> None:
        self.root, self.upper, self.work = root, upper, work


def enter(layers: Sequence[Layer]) -> list[str]:
    """Cover each folder that can be; returns those that are: none where one of them failed."""
    usable = [layer for layer in layers if _can_be_covered(layer)]
    if sys.platform != "linux" or not usable or not _works(usable):
        return []
    _cover(usable)
    return [layer.root for layer in usable]


def _can_be_covered(layer: Layer) -> bool:
    # The options of a mount are one text, and these would end a path in it.
    if any(sign in path for path in (layer.root, layer.upper) for sign in ',:\\"\n'):
        return False
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            points = [_unescaped(line.split()[4]) for line in mounts]
    except (OSError, IndexError):
        return False
    # What is mounted inside would be an empty folder.
    return not any(point.startswith(layer.root + os.sep) for point in points)


def _unescaped(text: str) -> str:
    for sign, code in ((" ", "\\040"), ("\t", "\\011"), ("\n", "\\012"), ("\\", "\\134")):
        text = text.replace(code, sign)
    return text


def _works(layers: Sequence[Layer]) -> bool:
    """Try it in a child, which ends at once: where it fails half way, there is no way back."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _cover(layers)
            for layer in layers:
                # Copies something up and takes it away, as the target will.
                probe = os.path.join(layer.root, f".stepscope-{os.getpid()}")
                os.mkdir(probe)
                os.rmdir(probe)
            status = 0
        except BaseException:
            pass
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return status == 0


def _cover(layers: Sequence[Layer]) -> None:
    """Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    folder = os.getcwd()
    _leave_the_others(libc)
    _call(libc.mount, b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    for layer in layers:
        options = f"lowerdir={layer.root},upperdir={layer.upper},workdir={layer.work},userxattr"
        _call(libc.mount, b"overlay", os.fsencode(layer.root), b"overlay", 0, os.fsencode(options))
    os.chdir(folder)  # else it stays in the folder below
    if os.geteuid() != 0:
        _drop_capabilities(libc)


def _leave_the_others(libc: ctypes.CDLL) -> None:
    """Into a mount namespace of our own: with the rights of root, or with a user namespace."""
    if libc.unshare(_CLONE_NEWNS) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    _call(libc.unshare, _CLONE_NEWUSER | _CLONE_NEWNS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as out:
            out.write(text)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """In a user namespace a process may do anything to its own files; the target must not."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    if libc.capset(header, b"\0" * 24) == 0:
        # Losing them makes a process unreadable to its own children's tools; it was not before.
        libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


def _call(function: ctypes._CFuncPtr, *arguments: object) -> None:  # type: ignore[name-defined]
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
