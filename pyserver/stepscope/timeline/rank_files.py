"""Paths that a person gave -> the recordings among them: files, and what folders hold."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stepscope.agent.capture import CaptureError
from stepscope.timeline.kineto.text import TraceError
from stepscope.timeline.ranks_folder import (
    RanksFolder,
    is_rank_capture,
    is_rank_manifest,
    read_ranks_folder,
)

MOST_FILES = 512
"""Of one folder that are read; each is a rank."""
_MOST_ENTRIES = 100_000
_ENDINGS = (".json", ".json.gz", ".capture")


@dataclass(frozen=True, slots=True)
class Found:
    """Files to read, and a sentence for each thing that was left out."""

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def find_recordings(paths: Sequence[Path]) -> Found:
    """The files that ``paths`` name; of a folder, the traces and captures directly in it.

    A folder inside a folder is not looked into, so no link can lead round in a circle. Raises
    ``TraceError`` for a folder that holds none or cannot be read.
    """
    files: dict[Path, None] = {}
    notes: list[str] = []
    for path in paths:
        if path.is_dir():
            found = _in_folder(path)
            notes += found.notes
            files.update(dict.fromkeys(found.files))
        else:
            files[path] = None
    return Found(tuple(files), tuple(notes))


def _in_folder(folder: Path) -> Found:
    names: list[str] = []
    notes: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count == _MOST_ENTRIES:
                    notes.append(
                        f"{folder} holds more than {_MOST_ENTRIES:,} files; the rest was not "
                        "looked at."
                    )
                    break
                if entry.name.endswith(_ENDINGS) and _is_file(entry):
                    names.append(entry.name)
    except OSError as error:
        raise TraceError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if not names:
        raise TraceError(
            f"{folder} holds no trace (*.json, *.json.gz) and no capture of ours (*.capture)."
        )
    # Numbers in names in their own order: rank 2 comes before rank 10.
    names.sort(key=_natural)
    captures = [name for name in names if name.endswith(".capture")]
    # Beside each capture stands a small .json that describes it.
    if any(is_rank_capture(name) for name in captures):
        with contextlib.suppress(CaptureError):
            return _of_ranks(read_ranks_folder(folder), captures)
    if not captures and all(is_rank_manifest(folder / name) for name in names):
        raise TraceError(
            f"{folder} holds no capture: its ranks failed, or ended before they had their steps."
        )
    names = captures or names
    if len(names) > MOST_FILES:
        notes.append(f"{folder} holds {len(names):,} recordings; the first {MOST_FILES} were read.")
    return Found(tuple(folder / name for name in names[:MOST_FILES]), tuple(notes))


def _of_ranks(found: RanksFolder, captures: Sequence[str]) -> Found:
    """The captures of one run, and what is to be said of it and of the rest of ``captures``."""
    notes = list(found.notes)
    others = [name for name in captures if not is_rank_capture(name)]
    if others:
        notes.append(f"Of no rank, and left out: {others[0]}{_and_more(len(others) - 1)}.")
    if len(found.captures) > MOST_FILES:
        notes.append(f"Only the first {MOST_FILES} of {len(found.captures):,} ranks were read.")
    return Found(tuple(each.path for each in found.captures[:MOST_FILES]), tuple(notes))


def _and_more(count: int) -> str:
    return f" and {count:,} more" if count else ""


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def _natural(name: str) -> list[str | int]:
    """Text and numbers in turn, so that like is compared with like."""
    parts = re.split(r"([0-9]+)", name)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]
