"""A folder into which the ranks of a run recorded themselves: which captures belong together.

Nothing in it is trusted: names, manifests and captures may be anybody's, and any number of them.
"""

from __future__ import annotations

import collections
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepscope.agent.capture import CaptureError, read_facts

MOST_RANKS = 10_000
"""Of one folder that are looked at; a larger one is read up to here, and that is said."""
_MOST_NAMED = 8  # in one sentence
_MOST_MANIFEST_BYTES = 64 * 1024
_CAPTURE = re.compile(r"rank\d{1,9}\.capture")
_MANIFEST = re.compile(r"rank\d{1,9}\.json")


@dataclass(frozen=True, slots=True)
class RankCapture:
    """One rank's capture and its facts, of which ``rank`` and ``world_size`` are whole numbers."""

    rank: int
    path: Path
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RanksFolder:
    """The captures of one run, by rank, and a sentence for everything that is not as it should be.

    ``missing`` are the ranks of that run without a capture.
    """

    run_id: str
    world_size: int
    captures: tuple[RankCapture, ...]
    missing: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machines, each once: times of different ones are not by the same clock."""
        return tuple(dict.fromkeys(str(each.facts.get("host")) for each in self.captures))


def is_rank_capture(name: str) -> bool:
    """Whether a file of this name is, by its name, the capture of a rank."""
    return _CAPTURE.fullmatch(name) is not None


def is_rank_manifest(path: Path) -> bool:
    """Whether a file is what a rank told of itself: its name alone could be a trace's, too."""
    return _MANIFEST.fullmatch(path.name) is not None and "run_id" in _manifest(path)


def read_ranks_folder(folder: Path) -> RanksFolder:
    """What ranks have recorded into ``folder``.

    Of several runs the one that has most ranks counts, of equal ones the latest. Raises
    ``CaptureError`` where there is no capture of a rank, and ``OSError``.
    """
    notes: list[str] = []
    names, more = _names(folder)
    if more:
        notes.append(f"{folder} holds more than {MOST_RANKS:,} captures; the rest was not read.")
    found = []
    for name in names:
        try:
            found.append(_rank_capture(folder / name))
        except (CaptureError, OSError) as error:
            notes.append(f"{name} cannot be read ({error}).")
    if not found:
        why = f" ({notes[0]})" if notes else ""
        raise CaptureError(f"{folder} holds no capture of a rank that can be read{why}")
    runs: dict[tuple[str, int], list[RankCapture]] = collections.defaultdict(list)
    for capture in found:
        runs[capture.facts["run_id"], capture.facts["world_size"]].append(capture)
    chosen = max(runs, key=lambda run: (len(runs[run]), max(map(_started, runs[run]))))
    others = [each.path.name for run, each_of in runs.items() if run != chosen for each in each_of]
    if others:
        notes.append(f"Of another run, and left out: {_listed(sorted(others))}.")
    run_id, size = chosen
    captures, doubled = _by_rank(runs[chosen])
    if doubled:
        notes.append(f"Of a rank that is there already, and left out: {_listed(doubled)}.")
    missing = _missing({each.rank for each in captures}, size)
    if missing:
        states = _states(folder, run_id)
        told = [
            f"{rank} ({states[rank]})" if rank in states else str(rank)
            for rank in missing[:_MOST_NAMED]
        ]
        rest = f" and {_left_out(size, captures, told):,} more" if len(missing) > len(told) else ""
        ranks = "Rank" if len(missing) == 1 else "Ranks"
        notes.append(f"{ranks} {', '.join(told)}{rest} of {size:,} left no capture.")
    return RanksFolder(run_id, size, captures, missing, tuple(notes))


def _left_out(size: int, captures: tuple[RankCapture, ...], told: list[str]) -> int:
    return size - len(captures) - len(told)


def _names(folder: Path) -> tuple[list[str], bool]:
    """Names of captures in the order of their ranks, and whether there are too many."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_rank_capture(entry.name):
                names.append(entry.name)
                if len(names) > MOST_RANKS:
                    break
    names.sort(key=lambda name: (int(name[4:-8]), name))
    return names[:MOST_RANKS], len(names) > MOST_RANKS


def _rank_capture(path: Path) -> RankCapture:
    if not path.is_file():
        raise CaptureError("it is no file")
    facts = read_facts(str(path))
    rank, size, run_id = (facts.get(name) for name in ("rank", "world_size", "run_id"))
    if not (_is_whole(rank) and _is_whole(size) and isinstance(run_id, str)):
        raise CaptureError("it is the capture of a process on its own")
    assert isinstance(rank, int)
    assert isinstance(size, int)
    if rank >= size:
        raise CaptureError(f"it names rank {rank} of {size}")
    return RankCapture(rank, path, facts)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _started(capture: RankCapture) -> str:
    return str(capture.facts.get("started"))


def _by_rank(captures: Iterable[RankCapture]) -> tuple[tuple[RankCapture, ...], list[str]]:
    """One capture for each rank, in their order; names of the others."""
    kept: dict[int, RankCapture] = {}
    doubled = []
    for capture in captures:
        if capture.rank in kept:
            doubled.append(capture.path.name)
        else:
            kept[capture.rank] = capture
    return tuple(kept[rank] for rank in sorted(kept)), doubled


def _missing(present: set[int], size: int) -> tuple[int, ...]:
    """The lowest ranks that are not there, as many as are looked at."""
    missing: list[int] = []
    for rank in range(min(size, len(present) + MOST_RANKS)):
        if rank not in present:
            missing.append(rank)
            if len(missing) == MOST_RANKS:
                break
    return tuple(missing)


def _states(folder: Path, run_id: str) -> dict[int, str]:
    """How ranks of the run said that they ended, from their manifests."""
    states: dict[int, str] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if not _MANIFEST.fullmatch(entry.name) or len(states) >= MOST_RANKS:
                continue
            told = _manifest(Path(entry.path))
            rank, state = told.get("rank"), told.get("state")
            if told.get("run_id") == run_id and isinstance(rank, int) and state in _ENDS:
                states[rank] = _ENDS[state]
    return states


_ENDS = {"running": "killed, or running still", "failed": "it failed", "ended": "it ended early"}


def _manifest(path: Path) -> dict[str, Any]:
    """What a manifest holds; nothing, if it is none."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_MANIFEST_BYTES:
            return {}
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _listed(names: list[str]) -> str:
    """The first few, and how many more."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
