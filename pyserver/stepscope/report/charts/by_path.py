"""The cost of the step by call path: every moment once, under the lines that led to it.

The ledgers are made a second time, with call paths in the place of lines, by the same code. They
only say how what the report shows of a line divides into the paths that lead to it, so that the
sums are the report's own.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import TypeVar

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.device import DeviceLedger, device_ledger
from stepscope.attribution.owners import Owned
from stepscope.attribution.work import Sweep, sweep
from stepscope.report.charts.model import NONE, Names, Tree
from stepscope.timeline.call_paths import OUTSIDE, CallPaths
from stepscope.timeline.model import NOWHERE, Recording, Track

NO_LINE = "(no line)"
NO_PATH = "(call path not known)"

Key = TypeVar("Key", bound=Hashable)


class PathCosts:
    """Milliseconds per step by call path. ``ms`` adds up to the step.

    A number below -1 is a line whose call path is not known: ``-2 - place``.
    """

    def __init__(self, attributed: Attributed) -> None:
        self.ms: dict[int, float] = defaultdict(float)
        self.paths = attributed.mapped.recording.paths or CallPaths()
        recording, owned = _on_paths(attributed, self.paths)
        ledgers = attributed.ledgers
        if ledgers.device is None:
            self._from_host(attributed, sweep(ledgers.timeline, recording, owned))
        else:
            self._from_device(attributed, device_ledger(ledgers.timeline, recording, owned))

    def place(self, path: int) -> int:
        """The line at the end of a path."""
        if path == OUTSIDE:
            return NOWHERE
        return self.paths.place[path] if path >= 0 else -2 - path

    def _from_host(self, attributed: Attributed, swept: Sweep) -> None:
        ledgers = attributed.ledgers
        seen: dict[Hashable, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for (ran, (path, name, backward)), ns in swept.in_ops.items():
            seen[(self.place(ran), (self.place(path), name, backward))][path] += ns
        for key, ms in ledgers.op_work.items():
            self._spread(ms, seen.get(key), key[1][0])
        in_python: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for path, ns in swept.in_python.items():
            in_python[self.place(path)][path] += ns
        for place, ms in ledgers.python.items():
            self._spread(ms, in_python.get(place), place)

    def _from_device(self, attributed: Attributed, found: DeviceLedger) -> None:
        ledgers = attributed.ledgers
        device = ledgers.device
        assert device is not None
        busy = 0.0
        seen: dict[Hashable, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for (path, name, backward), ns in found.busy.items():
            seen[(self.place(path), name, backward)][path] += ns
        for key, ns in device.busy.items():
            ms = ns * ledgers.device_scale
            busy += ms
            self._spread(ms, seen.get(key), key[0])
        idle = max(0.0, ledgers.step_ms.median - busy)
        known = sum(device.idle.values())
        gaps: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for path, length in found.idle.items():
            gaps[self.place(path)][path] += length
        for place, length in device.idle.items():
            self._spread(idle * length / known, gaps.get(place), place)
        if not known:
            self._spread(idle, None, NOWHERE)

    def _spread(self, ms: float, weights: Mapping[int, float] | None, place: int) -> None:
        total = sum(weights.values()) if weights else 0.0
        if not weights or total <= 0:
            self.ms[OUTSIDE if place == NOWHERE else -2 - place] += ms
            return
        for path, weight in weights.items():
            self.ms[path] += ms * weight / total


def _on_paths(attributed: Attributed, paths: CallPaths) -> tuple[Recording, Owned]:
    """The mapped recording with the numbers of call paths where those of places are."""
    recording, owned = attributed.mapped.recording, attributed.mapped.owned
    ops = recording.ops
    assert ops is not None
    told = {
        thread: track.paths if track.paths else [_unknown(place) for place in track.places]
        for thread, track in recording.tracks.items()
    }
    step = attributed.ledgers.timeline.step_thread

    def at(index: int, place: int) -> int:
        """The path on which operator ``index`` was started, if it leads to ``place``."""
        if place == NOWHERE:
            return OUTSIDE
        for thread in (ops.native[index], step):
            track = recording.tracks.get(thread)
            if track is not None and (segment := track.at(ops.start[index])) >= 0:
                path = told[thread][segment]
                if path >= 0 and paths.place[path] == place:
                    return path
        return _unknown(place)

    owner, place = list(owned.owner), list(owned.place)
    for index in owned.order:
        cause = owned.cause[index]
        owner[index] = at(cause if cause >= 0 else index, owned.owner[index])
        place[index] = at(index, owned.place[index])
    tracks = {
        thread: Track(starts=track.starts, places=told[thread], loops=track.loops)
        for thread, track in recording.tracks.items()
    }
    return (
        dataclasses.replace(recording, tracks=tracks),
        dataclasses.replace(owned, owner=owner, place=place),
    )


def _unknown(place: int) -> int:
    return OUTSIDE if place == NOWHERE else -2 - place


def path_tree(attributed: Attributed, names: Names) -> Tree:
    """The costs as a tree in pre-order: the step, the outermost lines, what they called."""
    costs = PathCosts(attributed)
    tree, paths = Tree(), costs.paths
    root = tree.add(NONE, names.text("step"), NONE, 0.0)
    children: dict[int, list[int]] = defaultdict(list)
    needed = set()
    for path in costs.ms:
        while path >= 0 and path not in needed:
            needed.add(path)
            path = paths.parent[path]
    for path in sorted(needed):
        children[paths.parent[path]].append(path)
    waiting = [(root, path) for path in reversed(children[OUTSIDE])]
    while waiting:
        above, path = waiting.pop()
        place = paths.place[path]
        node = tree.add(above, names.line(place), names.place(place), costs.ms.get(path, 0.0))
        waiting += [(node, below) for below in reversed(children[path])]
    lost = sorted(path for path, ms in costs.ms.items() if path < OUTSIDE and ms > 0)
    if lost:
        above = tree.add(root, names.text(NO_PATH), NONE, 0.0)
        for path in lost:
            place = costs.place(path)
            tree.add(above, names.line(place), names.place(place), costs.ms[path])
    if costs.ms.get(OUTSIDE, 0.0) > 0:
        tree.add(root, names.text(NO_LINE), NONE, costs.ms[OUTSIDE])
    return tree
