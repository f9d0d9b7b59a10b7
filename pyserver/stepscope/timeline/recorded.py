"""A file that somebody recorded -> ``Timeline``, whatever kind of recording it is."""

from __future__ import annotations

from pathlib import Path

from stepscope.agent.capture import MAGIC, CaptureError
from stepscope.timeline.from_capture import load_timeline
from stepscope.timeline.kineto.load import load_trace
from stepscope.timeline.kineto.paths import PathMap
from stepscope.timeline.kineto.text import TraceError
from stepscope.timeline.model import Timeline
from stepscope.timeline.pausing import Pause, never
from stepscope.timeline.recorded_places import LocalPlaces
from stepscope.timeline.snapshot.load import load_snapshot
from stepscope.timeline.snapshot.model import Snapshot

__all__ = ["PathMap", "TraceError", "is_pickle", "load_local_snapshot", "load_recording"]

_PICKLE = b"\x80"


def load_recording(path: Path, paths: PathMap, pause: Pause = never) -> Timeline:
    """A torch.profiler trace or a capture of ours. Raises ``TraceError`` for anything else."""
    pause()
    if _first_bytes(path) == MAGIC:
        try:
            return load_timeline(path)
        except CaptureError as error:
            raise TraceError(f"{path} is a damaged capture: {error}.") from None
    return load_trace(path, paths, pause)


def load_local_snapshot(path: Path, paths: PathMap, pause: Pause = never) -> Snapshot:
    """A memory snapshot of torch, on the lines of the files here. Raises ``SnapshotError``."""
    snapshot = load_snapshot(path, pause)
    pause()
    local = LocalPlaces(paths)
    snapshot.places = [local.find(place, executing=True) for place in snapshot.places]
    snapshot.notes += local.notes()
    if snapshot.main is not None:
        snapshot.main = paths.resolve(snapshot.main)
    return snapshot


def is_pickle(path: Path) -> bool:
    """Whether the file begins as a pickle does: a memory snapshot, if it is one of torch's."""
    return _first_bytes(path).startswith(_PICKLE)


def _first_bytes(path: Path) -> bytes:
    """The first bytes of a file; empty for what cannot be read. Kinds are told by them."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(len(MAGIC))
    except OSError:
        return b""
