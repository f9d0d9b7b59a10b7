"""What the target sees under each name, and where that lies: what existed lies elsewhere.

Everything is derived from three trees in a private folder, so that all processes of a run agree
without talking to one another. Each mirrors the real tree from its root on:

- ``files``: the private copy of a file that existed, and folders made again after a removal;
- ``gone``: a plain file where something that existed was removed, with all that was below it;
- ``made``: a plain file where this run made something new, which is real and its own to change.

A ``stat`` below a plain file fails with ENOTDIR, so that one call answers for all folders above.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from . import places
from .disk import copy, make_folders, marked, may_remove, touch, try_lstat, wipe

# Taken before anything is replaced: in this file the real file system is meant.
_lstat, _stat, _listdir, _access = os.lstat, os.stat, os.listdir, os.access
_os_open, _mkdir, _readlink, _chmod = os.open, os.mkdir, os.readlink, os.chmod

Name = Any
"""What Python's file functions take as a path: text, bytes, or ``os.PathLike``."""
_NOTHING = b"\0" * 8
_LINKS, _MARKS, _STAMP_BYTES = 8, 9, 17
_REMEMBERED = 4096


@dataclass(frozen=True)
class Place:
    """Where to write. ``at`` None: under the name itself. ``new``: a real path, not there yet."""

    at: str | None = None
    new: str | None = None


class Redirects:
    """The map from names to places. ``exempt`` says which real paths are left alone."""

    def __init__(self, private: str, exempt: Callable[[str], bool]) -> None:
        self.private = private
        self.files = os.path.join(private, "files")
        self.gone = os.path.join(private, "gone")
        self.made = os.path.join(private, "made")
        for folder in (private, self.files, self.gone, self.made):
            make_folders(folder)
        self.exempt = exempt
        self.lock = threading.RLock()
        self._stamp = _shared_stamp(os.path.join(private, "stamp"))
        # What was found out, for as long as the stamp stays what it was.
        self._known_at = b""
        self._parents: dict[str, str] = {}  # folder -> the same without links
        self._reads: dict[tuple[str, bool], str | None] = {}  # None: the name itself
        self._writes: dict[str, Place] = {}
        self._inside = False  # the target works in a private folder
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.lock = threading.RLock()  # another thread may have held it

    # -- which file a name means -----------------------------------------------------------------

    def idle(self) -> bool:
        """Whether no process of this run has redirected anything yet: names mean what they say."""
        return self._stamp[:8] == _NOTHING

    def locate(self, path: Name, last: bool = True) -> str:
        """The real path that a name means in the target's view; ``last``: follow a final link."""
        whole = places.absolute(path)
        if whole.startswith(self.files):
            whole = whole[len(self.files) :] or os.sep  # the target works in a private folder
        if os.name == "nt":
            return _locate_on_windows(whole, last)
        stamp = self._stamp[:_STAMP_BYTES]
        if stamp != self._known_at:
            self._forget(stamp)
        above, _, name = whole.rpartition(os.sep)
        known = self._parents.get(above)
        if known is None:
            known = self._parents[above] = places.follow(above, self._link, last=True)
        return places.follow(name, self._link, last, start=known)

    def _forget(self, stamp: bytes) -> None:
        """Drop what was found out when the stamp was another one."""
        self._parents.clear()
        self._reads.clear()
        self._writes.clear()
        self._known_at = stamp

    def _link(self, path: str) -> str | None:
        if not self.idle():
            private = self.mirror(self.files, path)
            found = try_lstat(private)
            if found is not None:
                return _readlink(private) if stat.S_ISLNK(found.st_mode) else None
            if self.is_hidden(path):
                return None
        return places.real_link(path)

    def mirror(self, tree: str, path: str) -> str:
        """The place of a real path in one of the trees."""
        if os.name == "nt":
            drive, rest = os.path.splitdrive(path)
            return os.path.join(tree, drive.strip("\\").replace(":", ""), rest.lstrip("\\"))
        return tree + path

    def is_hidden(self, path: str) -> bool:
        """Whether what really is there was removed, itself or with a folder above it."""
        return self._covered(self.gone, path)

    def is_ours(self, path: str) -> bool:
        """Whether this run made it."""
        return self._covered(self.made, path)

    def _covered(self, tree: str, path: str) -> bool:
        mark = self.mirror(tree, path)
        try:
            return not stat.S_ISDIR(_lstat(mark).st_mode)
        except NotADirectoryError:
            return True
        except OSError:
            # Windows calls that "not found" too.
            return os.name == "nt" and self._covered_on_windows(tree, path)

    def _covered_on_windows(self, tree: str, path: str) -> bool:
        above = os.path.dirname(path)
        while above != os.path.dirname(above):
            found = try_lstat(self.mirror(tree, above))
            if found is not None:
                return not stat.S_ISDIR(found.st_mode)
            above = os.path.dirname(above)
        return False

    def private_of(self, path: str) -> str | None:
        """Where the thing at ``path`` lies, if that is in our folder. Not for merged folders."""
        private = self.mirror(self.files, path)
        found = try_lstat(private)
        if found is None or (stat.S_ISDIR(found.st_mode) and not self.is_hidden(path)):
            return None
        return private

    def where(self, path: str) -> str | None:
        """Where the thing that the target sees at ``path`` lies; None: it sees nothing there."""
        private = self.private_of(path)
        if private is not None:
            return private
        return path if try_lstat(path) is not None and not self.is_hidden(path) else None

    def for_reading(self, path: Name, last: bool = True) -> Name:
        """The name to hand on to the system for reading."""
        stamp = self._stamp[:_STAMP_BYTES]
        if stamp[:8] == _NOTHING:
            return path
        if stamp != self._known_at:
            self._forget(stamp)
        key = (places.absolute(path), last)
        try:
            at = self._reads[key]
        except KeyError:
            at = self._find_for_reading(path, last)
            if not self._inside and stamp == self._stamp[:_STAMP_BYTES]:
                _remember(self._reads, key, at)
        return path if at is None else at

    def _find_for_reading(self, path: Name, last: bool) -> str | None:
        real = self.locate(path, last)
        if self.exempt(real):
            return None
        private = self.private_of(real)
        if private is not None:
            return private
        if self.is_hidden(real):
            return self.mirror(self.files, real)  # nothing is there: the system says so
        return real if self.name_to_use(path, real) is real else None

    def name_to_use(self, path: Name, real: str) -> Name:
        """The name itself where the system goes the same way as we do, else the real path."""
        if self._stamp[_LINKS] or (self._inside and not os.path.isabs(path)):
            return real
        return path

    def enter(self, at: str) -> None:
        """The working folder is now ``at``, which may be one of ours."""
        self._inside = at.startswith(self.files)

    def seen_folder(self, at: str) -> str:
        """The working folder ``at`` as the target knows it."""
        return at[len(self.files) :] if at.startswith(self.files) else at

    # -- writing ---------------------------------------------------------------------------------

    def for_writing(
        self,
        path: Name,
        keep: bool,
        *,
        last: bool = True,
        fresh: bool = False,
        attributes: bool = False,
    ) -> Place:
        """Where to write under a name; ``keep``: what the file holds is still wanted.

        ``fresh``: the name must not exist, or the system refuses. ``attributes``: no permission to
        write is needed. Raises FileNotFoundError where the target no longer sees the folder.
        """
        last = last and not fresh  # the name itself must not exist, whatever a link of it says
        stamp = self._stamp[:_STAMP_BYTES]
        if stamp != self._known_at:
            self._forget(stamp)
        key = places.absolute(path)
        known = None if fresh or not last or self._inside else self._writes.get(key)
        if known is not None:
            return known
        place = self._find_for_writing(path, keep, last, fresh, attributes)
        # What is new is marked when it has been made; from then on it is known.
        lasting = place.new is None and last and not (fresh or self._inside)
        if lasting and stamp == self._stamp[:_STAMP_BYTES]:
            _remember(self._writes, key, place)
        return place

    def _find_for_writing(
        self, path: Name, keep: bool, last: bool, fresh: bool, attributes: bool
    ) -> Place:
        real = self.locate(path, last)
        if self.exempt(real):
            return Place(None if self.name_to_use(path, real) is path else real)
        with self.lock:
            if not self.idle():
                private = self.private_of(real)
                if private is not None:
                    return Place(private)
                if self.is_hidden(real):
                    return Place(self._private_for(real, path))
            found = try_lstat(real)
            place = None if self.name_to_use(path, real) is path else real
            if found is None:
                return Place(place, new=real)
            # Folders, devices and pipes hold nothing; what may not be written fails by itself.
            if fresh or not stat.S_ISREG(found.st_mode) or self.is_ours(real):
                return Place(place)
            if not (attributes or _access(real, os.W_OK)):
                return Place(place)
            return Place(self._keep(real, found, keep))

    def _keep(self, real: str, found: os.stat_result, copied: bool) -> str:
        private = self.mirror(self.files, real)
        make_folders(os.path.dirname(private))
        if copied:
            copy(real, private, found)
        else:
            os.close(_os_open(private, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
            _chmod(private, stat.S_IMODE(found.st_mode))
        self.changed()
        return private

    def _private_for(self, real: str, path: Name) -> str:
        """A private place for a new thing; its folder must be there in the target's view."""
        self.check_folder(os.path.dirname(real), path)
        private = self.mirror(self.files, real)
        make_folders(os.path.dirname(private))
        return private

    def check_folder(self, above: str, path: Name, to: Name = None) -> None:
        """Raise what the system raises where ``above`` is no folder for something new."""
        if self._is_folder(above):
            return
        while self.where(above) is None:
            above = os.path.dirname(above)
        number = errno.ENOENT if self._is_folder(above) else errno.ENOTDIR
        raise OSError(number, os.strerror(number), path, None, to)

    def landing(self, real: str, path: Name) -> Place:
        """Where a new thing of that name goes: under the name where nothing real is in the way."""
        if try_lstat(real) is not None or self.is_hidden(real):
            return Place(self._private_for(real, path))
        self.check_folder(os.path.dirname(real), path)
        return Place(new=real)

    def written(self, place: Place) -> None:
        """What was to be written at ``place`` has been begun there: a new file is ours now."""
        if place.new is not None:
            self.mark_made(place.new)

    # -- marks -----------------------------------------------------------------------------------

    def link(self, path: Name, real: str, make: Callable[[Name], None]) -> None:
        """Make a symbolic link; ``make`` makes it at the place that it is given."""
        with self.lock:
            if self.exempt(real) or self.where(real) is not None:
                # The latter fails, as it would have.
                make(self.private_of(real) or self.name_to_use(path, real))
                return
            place = self.landing(real, path)
            make(place.at or self.name_to_use(path, real))
            if place.at is not None:
                self.has_links()
                self.changed()
            self.written(place)
            self._look_again()  # names below it mean something else now

    def copy_to(self, path: Name, to: Name, source: str, goal: str) -> None:
        """In place of a hard link to what existed, through which it could be changed."""
        with self.lock:
            self.check_folder(os.path.dirname(source), path, to)
            self.check_folder(os.path.dirname(goal), path, to)
            at = self.where(source)
            if at is None or self.where(goal) is not None:
                number = errno.ENOENT if at is None else errno.EEXIST
                raise OSError(number, os.strerror(number), path, None, to)
            place = self.landing(goal, to)
            copy(at, place.at or goal, _lstat(at))
            self.changed()
            self.written(place)

    def has_links(self) -> None:
        """Some links lie in our folder: from now on the system no longer goes the way we go."""
        self._stamp[_LINKS] = 1

    def changed(self) -> None:
        """Tell every process of this run that names mean something else from now on."""
        stamp = os.urandom(8)
        self._stamp[:8] = stamp if stamp != _NOTHING else b"\1" * 8

    def mark_made(self, path: str) -> None:
        """This run made ``path``: from now on it may do with it what it likes."""
        if self.is_ours(path) or self.exempt(path):
            return
        mark = self.mirror(self.made, path)
        wipe(mark)
        make_folders(os.path.dirname(mark))
        touch(mark)

    def unmark_made(self, path: str) -> None:
        """It is gone again."""
        wipe(self.mirror(self.made, path))
        self._look_again()

    def _look_again(self) -> None:
        """What was found out about names no longer holds, in any process of this run."""
        self._stamp[_MARKS:_STAMP_BYTES] = os.urandom(_STAMP_BYTES - _MARKS)

    def hide(self, path: str) -> None:
        """The target removed what really is at ``path``: it stays, unseen."""
        if try_lstat(path) is not None and not self.is_hidden(path):
            mark = self.mirror(self.gone, path)
            wipe(mark)
            make_folders(os.path.dirname(mark))
            touch(mark)
        self.changed()

    # -- folders ---------------------------------------------------------------------------------

    def _is_folder(self, path: str) -> bool:
        at = self.where(path)
        try:
            return at is not None and stat.S_ISDIR(_stat(at).st_mode)
        except OSError:
            return False

    def names_in(self, path: str) -> list[str] | None:
        """What the target sees in the folder ``path``; None: just what really is there."""
        private = self.mirror(self.files, path)
        inner = try_lstat(private)
        if inner is not None and not stat.S_ISDIR(inner.st_mode):
            return None
        hidden = self.is_hidden(path)
        if inner is None and (hidden or try_lstat(self.mirror(self.gone, path)) is None):
            return None
        names = set() if inner is None else set(_listdir(private))
        if not hidden:
            names.update(
                name
                for name in _listdir(path)
                if name not in names and not self.is_hidden(os.path.join(path, name))
            )
        return sorted(names)

    def names(self, path: str) -> list[str]:
        """What the target sees in the folder ``path``."""
        names = self.names_in(path)
        return _listdir(self.where(path) or path) if names is None else names

    def mkdir(self, path: Name, real: str, make: Callable[[Name], None]) -> None:
        """Make a folder: a real one unless a removed one is in its place."""
        with self.lock:
            private = self.mirror(self.files, real)
            if self.is_hidden(real) and try_lstat(private) is None:
                make(self._private_for(real, path))
                self.changed()
                return
            make(self.name_to_use(path, real) if self.private_of(real) is None else private)
            self.mark_made(real)

    def remove_file(self, path: Name, real: str, remove: Callable[[Name], None]) -> None:
        """Remove a file or link; ``remove`` does it where it really happens."""
        with self.lock:
            private = self.private_of(real)
            if private is not None:
                remove(private)
                self.hide(real)
            elif self.is_hidden(real):
                self.check_folder(os.path.dirname(real), path)
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            else:
                found = try_lstat(real)
                if found is None or stat.S_ISDIR(found.st_mode) or not may_remove(real):
                    remove(self.name_to_use(path, real))  # it fails, as it would have
                elif self.is_ours(real):
                    remove(real)
                    self.unmark_made(real)
                else:
                    self.hide(real)

    def remove_folder(self, path: Name, real: str, remove: Callable[[Name], None]) -> None:
        """Remove an empty folder."""
        with self.lock:
            names = self.names_in(real)
            if names:
                raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
            at = self.where(real)
            if at is None:
                self.check_folder(os.path.dirname(real), path)
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            found = _lstat(at)
            full = names is None and stat.S_ISDIR(found.st_mode) and _listdir(at)
            if full or not (stat.S_ISDIR(found.st_mode) and may_remove(at)):
                remove(
                    self.name_to_use(path, real) if at == real else at
                )  # it fails, as it would have
            elif self.is_ours(real):
                remove(real)
                self.unmark_made(real)
            else:
                wipe(self.mirror(self.files, real))
                self.hide(real)

    def remove_tree(self, real: str) -> None:
        """Remove a folder that existed, with all that is in it: only what this run made goes."""
        with self.lock:
            for path in list(self.made_below(real)):
                wipe(path)
            self.unmark_made(real)
            wipe(self.mirror(self.files, real))
            self.hide(real)

    def made_below(self, real: str) -> Iterator[str]:
        """What this run made below ``real`` (outermost folders stand for all that is in them)."""
        return marked(self.mirror(self.made, real), real)

    def is_free(self, real: str) -> bool:
        """Whether a name is the target's own to rename or to rename to: new, exempt, or made."""
        if self.exempt(real):
            return True
        if not self.idle():
            if try_lstat(self.mirror(self.files, real)) is not None or self.is_hidden(real):
                return False
            if try_lstat(self.mirror(self.gone, real)) is not None:
                return False
        return self.is_ours(real) or try_lstat(real) is None


def _remember(known: dict[Any, Any], key: Any, found: Any) -> None:
    """Bounded: a target may use any number of names."""
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = found


def _locate_on_windows(whole: str, last: bool) -> str:
    if last:
        return os.path.realpath(whole)
    above, name = os.path.split(os.path.normpath(whole))
    return os.path.join(os.path.realpath(above), name)


def _shared_stamp(path: str) -> mmap.mmap:
    """Bytes that all processes of a run see.

    Eight that are new after each redirection (zero until the first), one that says whether there
    are links of ours to follow, and eight that are new whenever something of ours is gone again, or
    a new link leads elsewhere.
    """
    descriptor = _os_open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if os.fstat(descriptor).st_size < _STAMP_BYTES:
            os.write(descriptor, b"\0" * _STAMP_BYTES)
        return mmap.mmap(descriptor, _STAMP_BYTES)
    finally:
        os.close(descriptor)
