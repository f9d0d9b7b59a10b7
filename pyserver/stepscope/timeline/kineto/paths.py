"""Recorded source paths -> the files they are on this machine.

A trace comes from another machine, with the paths of that one, or with the part behind the
interpreter's folders only. First the person's own rules, then a file that is there as it is
written, then the one file of the workspace whose path ends the same way. Where two would do, none
does: a cost on a wrong line is worse than none.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

_PARTS = re.compile(r"[\\/]+")
_SKIPPED = frozenset(
    ("node_modules", "__pycache__", "site-packages", "dist-packages", ".git", ".hg", ".svn")
)
_MOST_FILES = 50_000
Rule = tuple[str, str]
"""(what a recorded path begins with, what stands there on this machine)."""


class PathMap:
    """Where recorded files are. ``roots`` are the folders of the workspace."""

    def __init__(self, rules: Sequence[Rule] = (), roots: Sequence[Path] = ()) -> None:
        self._rules = [(_parts(recorded), Path(local)) for recorded, local in rules]
        self._roots = list(roots)
        self._known: dict[str, str] = {}
        self._doubtful: set[str] = set()
        self._by_name: dict[str, list[list[str]]] | None = None

    def resolve(self, recorded: str) -> str:
        """The local file's absolute path; the recorded one as it is where none is certain."""
        found = self._known.get(recorded)
        if found is None:
            found = self._known[recorded] = self._find(recorded)
        return found

    def certain(self, recorded: str) -> bool:
        """Whether the path leaves no doubt: more than the file's bare name was the same."""
        self.resolve(recorded)
        return recorded not in self._doubtful

    def _find(self, recorded: str) -> str:
        parts = _parts(recorded)
        if not parts or parts[0] == "<":
            return recorded
        for prefix, local in self._rules:
            if parts[: len(prefix)] == prefix:
                candidate = local.joinpath(*parts[len(prefix) :])
                if candidate.is_file():
                    return str(candidate.absolute())
        path = Path(recorded)
        if path.is_absolute() and path.is_file():
            return recorded
        return self._unique_suffix(recorded, parts) or recorded

    def _unique_suffix(self, recorded: str, parts: list[str]) -> str | None:
        candidates = self._files().get(parts[-1], [])
        scored = [(_common_end(parts, candidate), candidate) for candidate in candidates]
        best = max((score for score, _ in scored), default=0)
        winners = [candidate for score, candidate in scored if score == best]
        if len(winners) != 1:
            return None
        if best < min(2, len(parts)):
            self._doubtful.add(recorded)
        return str(Path(*winners[0]))

    def _files(self) -> dict[str, list[list[str]]]:
        """Python files of the workspace by name, their paths in parts."""
        if self._by_name is not None:
            return self._by_name
        found: dict[str, list[list[str]]] = defaultdict(list)
        count = 0
        for root in self._roots:
            for folder, folders, files in os.walk(root.absolute()):
                folders[:] = [
                    name
                    for name in folders
                    if name not in _SKIPPED and not Path(folder, name, "pyvenv.cfg").exists()
                ]
                for name in files:
                    if name.endswith(".py"):
                        found[name].append(list(Path(folder, name).parts))
                        count += 1
                if count > _MOST_FILES:
                    break
        self._by_name = found
        return found


def _parts(path: str) -> list[str]:
    return [part for part in _PARTS.split(path) if part not in ("", ".")]


def _common_end(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, theirs in zip(reversed(one), reversed(other), strict=False):
        if mine != theirs:
            break
        count += 1
    return count
