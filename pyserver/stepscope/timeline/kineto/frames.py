"""Recorded Python functions -> tracks of the innermost one that a person might call theirs.

A recorded stack knows the line of each function's ``def`` and no other, so a place here is a whole
function, and everything that is said of it is said of the function.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict

from stepscope.timeline.call_paths import OUTSIDE, CallPaths
from stepscope.timeline.kineto.columns import Columns
from stepscope.timeline.kineto.links import in_order
from stepscope.timeline.kineto.paths import PathMap
from stepscope.timeline.model import NOWHERE, Place, Track
from stepscope.timeline.recorded_code import is_user_file
from stepscope.timeline.recorded_places import LocalPlaces

_FRAME = re.compile(r"^(.+)\((\d{1,7})\): (.+)$", re.DOTALL)
_RECOMPUTE = re.compile(r"torch[\\/]utils[\\/]checkpoint\.py\(\d+\): recompute_fn$")
_Frame = tuple[int, int, int]
"""(end, place, path) of a function that runs."""

_LIBRARIES = frozenset(
    (*sys.stdlib_module_names, "torch", "torchvision", "torchaudio", "triton", "numpy", "importlib")
)
"""First part of a path below the interpreter's own folders: Kineto cuts those folders off."""


class FramePlaces:
    """Recorded function names -> places; the same function is one place."""

    def __init__(self, strings: list[str], paths: PathMap) -> None:
        self.all: list[Place] = []
        self.local = LocalPlaces(paths)
        self._strings = strings
        self._of_name: dict[int, int] = {}
        self._of_place: dict[Place, int] = {}

    def number(self, name: int) -> int:
        """The place of a function's name, ``NOWHERE`` for code of Python, torch or a package."""
        known = self._of_name.get(name)
        if known is None:
            place = read_frame(self._strings[name])
            known = NOWHERE if place is None else self.of(place)
            self._of_name[name] = known
        return known

    def of(self, place: Place, *, executing: bool = False) -> int:
        """The place's number, being the one on this machine where that is known."""
        place = self.local.find(place, executing=executing)
        number = self._of_place.setdefault(place, len(self.all))
        if number == len(self.all):
            self.all.append(place)
        return number


def read_frame(text: str) -> Place | None:
    """``train.py(12): main`` as a place; None for what is not the user's code."""
    match = _FRAME.match(text)
    if match is None or int(match[2]) < 1:
        return None
    file = match[1]
    if not is_user_file(file):
        return None
    first = re.split(r"[\\/]", file, maxsplit=1)
    if len(first) > 1 and first[0] in _LIBRARIES:
        return None
    if len(first) == 1 and file.removesuffix(".py") in sys.stdlib_module_names:
        return None
    return Place(file, int(match[2]), match[3])


def build_tracks(columns: Columns, places: FramePlaces, paths: CallPaths) -> dict[int, Track]:
    """One track per thread that ran a function of the user's; fills ``paths``."""
    frames = columns.frames
    if not frames.name:
        return _from_call_stacks(columns, places, paths)
    of_name = {name: places.number(name) for name in set(frames.name)}
    rows = [row for row, name in enumerate(frames.name) if of_name[name] != NOWHERE]
    order = in_order(frames.start, frames.duration) if rows else []
    names, starts, durations, threads = frames.name, frames.start, frames.duration, frames.thread
    open_frames: dict[int, list[_Frame]] = defaultdict(list)
    tracks: dict[int, Track] = defaultdict(Track)
    for row in order:
        place = of_name[names[row]]
        if place == NOWHERE:
            continue
        thread, begin = threads[row], starts[row]
        stack, track = open_frames[thread], tracks[thread]
        _close(stack, track, begin)
        path = paths.below(stack[-1][2] if stack else OUTSIDE, place)
        end = begin + durations[row]
        if stack and end > stack[-1][0]:
            end = stack[-1][0]  # clocks of two threads that were merged, or a cut-off frame
        stack.append((end, place, path))
        track.entries.append((begin, place))
        _emit(track, begin, place, path)
    for thread, stack in open_frames.items():
        _close(stack, tracks[thread], None)
    return dict(tracks)


def recomputing(columns: Columns) -> list[tuple[int, int, int]]:
    """(thread, begin, end) of each second forward pass of torch's activation checkpointing."""
    frames = columns.frames
    names = {n for n, text in enumerate(columns.strings) if _RECOMPUTE.search(text)}
    return [
        (frames.thread[row], frames.start[row], frames.start[row] + frames.duration[row])
        for row, name in enumerate(frames.name)
        if name in names
    ]


def _close(stack: list[_Frame], track: Track, now: int | None) -> None:
    """End the frames that are over at ``now``."""
    while stack and (now is None or stack[-1][0] <= now):
        end = stack.pop()[0]
        _, place, path = stack[-1] if stack else (0, NOWHERE, OUTSIDE)
        _emit(track, end, place, path)


def _emit(track: Track, time: int, place: int, path: int) -> None:
    if track.starts and track.starts[-1] == time:
        track.places[-1] = place
        track.paths[-1] = path
        return
    track.starts.append(time)
    track.places.append(place)
    track.loops.append(NOWHERE)
    track.events.append(0)
    track.paths.append(path)


def _from_call_stacks(columns: Columns, places: FramePlaces, paths: CallPaths) -> dict[int, Track]:
    """Torch 1.8 wrote a call stack at operators, innermost function first, and no functions."""
    host = columns.host
    tracks: dict[int, Track] = defaultdict(Track)
    of_stack: dict[int, int] = {}  # text -> path
    for row in sorted(columns.stacks, key=host.start.__getitem__):
        text = columns.stacks[row]
        path = of_stack.get(text)
        if path is None:
            path = OUTSIDE
            for frame in reversed(columns.strings[text].split(";")):
                found = read_frame(frame)
                if found is not None:
                    path = paths.below(path, places.of(found, executing=True))
            of_stack[text] = path
        place = NOWHERE if path == OUTSIDE else paths.place[path]
        track = tracks[host.thread[row]]
        if not track.places or track.places[-1] != place:
            track.entries.append((host.start[row], place))
            _emit(track, host.start[row], place, path)
    return dict(tracks)
