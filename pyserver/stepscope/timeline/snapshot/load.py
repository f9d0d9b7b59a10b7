"""A file of ``torch.cuda.memory._dump_snapshot`` -> ``Snapshot``, of torch 2.0 and later.

What changed over time: blocks had a ``history`` instead of ``frames`` (2.0) and no ``address``;
events got a ``time_us`` (2.2); newer keys are not read. Frames are innermost first.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepscope.timeline.model import NOWHERE, Place
from stepscope.timeline.pausing import Pause, never
from stepscope.timeline.recorded_code import is_user_file
from stepscope.timeline.snapshot.model import (
    ALLOC,
    FREE,
    OUT_OF_MEMORY,
    RELEASE,
    RESERVE,
    AllocatorHistory,
    LiveBlock,
    Snapshot,
)
from stepscope.timeline.snapshot.plain_pickle import PickleRefused, load_plain

MAX_FILE = 1 << 30
"""Bytes."""

_MAX_DEVICES = 256
_MAX_ENTRIES = 20_000_000  # events and blocks; the same list may be named many times
_ACTIONS = {
    "alloc": ALLOC,
    "free_requested": FREE,
    "free": FREE,
    "segment_alloc": RESERVE,
    "segment_map": RESERVE,
    "segment_free": RELEASE,
    "segment_unmap": RELEASE,
    "oom": OUT_OF_MEMORY,
}
"""``free_completed`` is left out: it is when the memory can be used again."""


class SnapshotError(ValueError):
    """The file is no memory snapshot, or it cannot be read. The message is one whole sentence."""


def load_snapshot(path: Path, pause: Pause = never) -> Snapshot:
    """Read a snapshot; nothing in it is executed. Raises ``SnapshotError``."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE:
            raise SnapshotError(
                f"{path.name} has {size / 1e9:.1f} GB, more than the {MAX_FILE / 1e9:.1f} GB that "
                "are read; record less (max_entries of torch.cuda.memory._record_memory_history)."
            )
        data = path.read_bytes()
    except OSError as error:
        raise SnapshotError(f"{path.name} cannot be read: {error.strerror}.") from None
    try:
        pause()
        found = load_plain(data)
        pause()
        return parse_snapshot(found, str(path))
    except PickleRefused as refused:
        raise SnapshotError(f"{path.name} is no memory snapshot of torch: {refused}.") from None


def parse_snapshot(found: Any, path: str) -> Snapshot:
    """The unpickled value -> columns. Raises ``SnapshotError``."""
    if not isinstance(found, dict) or not isinstance(found.get("segments"), list):
        raise SnapshotError(
            f"{Path(path).name} is a pickle, but no memory snapshot of torch: it has no segments."
        )
    try:
        return _Reader(found, path).snapshot()
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError(
            f"{Path(path).name} is no memory snapshot that this version can read "
            f"({type(error).__name__}: {str(error)[:100]})."
        ) from None


class _Reader:
    def __init__(self, found: dict[str, Any], path: str) -> None:
        self._found = found
        self._path = path
        self._numbers: dict[Place, int] = {}
        self._stacks: dict[int, tuple[int, str | None]] = {}
        self._mains: Counter[str] = Counter()
        self._left = _MAX_ENTRIES

    def snapshot(self) -> Snapshot:
        traces = self._found.get("device_traces") or []
        segments: dict[int, list[Any]] = {}
        for segment in self._counted(self._found["segments"]):
            segments.setdefault(_number(segment.get("device", 0)), []).append(segment)
        count = max([len(traces), *(device + 1 for device in segments)], default=0)
        if count > _MAX_DEVICES:
            raise SnapshotError(f"{Path(self._path).name} names {count:,} devices.")
        devices = [
            self._device(number, segments.get(number, []), traces[number : number + 1])
            for number in range(count)
        ]
        main = self._mains.most_common(1)
        return Snapshot(
            self._path,
            list(self._numbers),
            [device for device in devices if len(device.action) or device.live or device.reserved],
            main[0][0] if main else None,
        )

    def _device(self, number: int, segments: list[Any], traces: list[Any]) -> AllocatorHistory:
        live: list[LiveBlock] = []
        reserved = 0
        for segment in segments:
            reserved += _size(segment["total_size"])
            live += self._live(segment)
        history = AllocatorHistory(
            number, live, reserved, array("b"), None, array("Q"), array("q"), array("i")
        )
        times = array("q")
        for trace in traces:
            self._events(trace, history, times)
        if len(times) == len(history.action):
            history.time = times
        return history

    def _events(self, trace: Any, history: AllocatorHistory, times: array[int]) -> None:
        """Append to the columns, which are arrays here."""
        act, locate, measure, owe = (
            column.append  # type: ignore[attr-defined]
            for column in (history.action, history.address, history.size, history.place)
        )
        for event in self._counted(trace):
            action = _ACTIONS.get(event["action"])
            if action is None:
                continue
            frees = action in (FREE, RELEASE)
            where = event.get("device_free", 0) if action == OUT_OF_MEMORY else event["addr"]
            act(action)
            locate(where)
            measure(_size(event["size"]))
            owe(NOWHERE if frees else self._place(event.get("frames")))
            if "time_us" in event:
                times.append(_number(event["time_us"]) * 1000)

    def _live(self, segment: Any) -> Iterator[LiveBlock]:
        address = _number(segment["address"])
        for block in self._counted(segment["blocks"]):
            size = _size(block["size"])
            if block["state"] == "active_allocated":
                frames, requested = block.get("frames"), block.get("requested_size", size)
                history = block.get("history")
                if history:  # the newest comes first
                    frames, requested = history[0].get("frames"), history[0]["real_size"]
                yield LiveBlock(address, _size(requested), self._place(frames))
            address += size

    def _place(self, frames: Any) -> int:
        """The innermost user frame's line. Stacks are shared, so each is looked at once."""
        if not frames:
            return NOWHERE
        known = self._stacks.get(id(frames))
        if known is None:
            known = self._stacks[id(frames)] = self._resolve(frames)
        place, main = known
        if main is not None:
            self._mains[main] += 1
        return place

    def _resolve(self, frames: list[Any]) -> tuple[int, str | None]:
        inner = next(filter(_is_user_frame, frames), None)
        if inner is None:
            return NOWHERE, None
        place = Place(inner["filename"], _number(inner["line"]), _function(inner["name"]))
        outer = next(filter(_is_user_frame, reversed(frames)))
        return self._numbers.setdefault(place, len(self._numbers)), outer["filename"]

    def _counted(self, entries: Any) -> Iterator[Any]:
        if not isinstance(entries, list):
            raise TypeError("a list was expected")
        self._left -= len(entries)
        if self._left < 0:
            raise SnapshotError(
                f"{Path(self._path).name} names more than {_MAX_ENTRIES:,} events and blocks."
            )
        return iter(entries)


def _is_user_frame(frame: Any) -> bool:
    line: int = frame["line"]
    return line > 0 and is_user_file(frame["filename"])


def _function(name: Any) -> str:
    return name if isinstance(name, str) else ""


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a whole number was expected")
    return value


def _size(value: Any) -> int:
    if _number(value) < 0:
        raise ValueError("a size is negative")
    return value  # type: ignore[no-any-return]
