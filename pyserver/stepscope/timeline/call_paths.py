"""Call paths: which user line called which, as one tree of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

OUTSIDE = -1
"""The path above every user line."""

MOST_PATHS = 100_000
"""A recursion that never repeats itself ends here: what lies deeper counts as its caller's."""

_PLACE_BITS = 32


@dataclass(slots=True)
class CallPaths:
    """Path ``n`` is the line ``place[n]``, running below the path ``parent[n]`` (or ``OUTSIDE``).

    A parent's number is lower than its children's.
    """

    parent: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    _known: dict[int, int] = field(default_factory=dict)

    def below(self, path: int, place: int) -> int:
        """The path of a line that runs below ``path``; ``path`` itself where there are too many."""
        key = (path + 1) << _PLACE_BITS | place
        known = self._known.get(key)
        if known is None:
            if len(self.parent) >= MOST_PATHS:
                return path
            known = self._known[key] = len(self.parent)
            self.parent.append(path)
            self.place.append(place)
        return known
