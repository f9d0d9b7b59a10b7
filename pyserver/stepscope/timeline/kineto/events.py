"""Text of events -> events, with the fields that are read and no others.

msgspec does it three times as fast as the standard library and in a third of the memory, since it
builds nothing that nobody asked for. It is a compiled package, so the editor's extension cannot
carry it: where the interpreter lacks it, ``json`` gives the same events. ``json`` also reads what
msgspec refuses: NaN, half a surrogate, a number where a text belongs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

try:
    from stepscope.timeline.kineto import typed_events
except ImportError:  # no msgspec
    typed_events = None  # type: ignore[assignment]


@dataclass(slots=True)
class Arguments:
    """An event's arguments by our words for them. ``None``: it has none of that name.

    ``shapes``, ``dtypes`` and ``values`` are JSON text.
    """

    external: int | None = None
    external_before: int | None = None
    correlation: int | None = None
    sequence: int | None = None
    forward_thread: int | None = None
    shapes: bytes = b""
    dtypes: bytes = b""
    values: bytes = b""
    stack: str | None = None
    device: int | None = None
    stream: int | str | None = None
    size: int | None = None
    address: int | None = None
    total: int | None = None
    reserved: int | None = None
    device_type: int | None = None
    device_id: int | None = None


SPELLINGS = {
    "External id": "external", "external id": "external_before", "correlation": "correlation",
    "Sequence number": "sequence", "Fwd thread id": "forward_thread", "Input Dims": "shapes",
    "Input type": "dtypes", "Concrete Inputs": "values", "Call stack": "stack",
    "device": "device", "stream": "stream", "Bytes": "size", "Addr": "address",
    "Total Allocated": "total", "Total Reserved": "reserved", "Device Type": "device_type",
    "Device Id": "device_id",
}  # fmt: skip
"""Kineto's name of each argument, and ours."""


@dataclass(slots=True)
class Event:
    """One element of ``traceEvents``; times in us as they stand there."""

    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: int | str | None = None
    tid: int | str | None = None
    ts: float = math.nan
    dur: float = 0.0
    args: Arguments | None = None


def decode(text: bytes) -> list[Any] | None:
    """The events of a JSON list, ``Event`` or alike; None where it is no list of objects.

    What is wrong in single events stays there: a field of the wrong type is as if it were missing.
    """
    if typed_events is not None:
        events = typed_events.decode(text)
        if events is not None:
            return events
    return decode_plainly(text)


def decode_plainly(text: bytes) -> list[Event] | None:
    """``decode`` with the standard library only."""
    try:
        found = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list):
        return None
    return [_event(one) for one in found if isinstance(one, dict)]


def _event(one: dict[str, Any]) -> Event:
    args = one.get("args")
    return Event(
        _text(one.get("ph")),
        _text(one.get("cat")),
        _text(one.get("name")),
        _name_or_number(one.get("pid")),
        _name_or_number(one.get("tid")),
        _number(one.get("ts"), math.nan),
        _number(one.get("dur"), 0.0),
        _arguments(args) if isinstance(args, dict) and args else None,
    )


def _arguments(given: Mapping[str, Any]) -> Arguments:
    found = Arguments()
    for kineto, word in SPELLINGS.items():
        value = given.get(kineto)
        if value is None:
            continue
        if word in ("shapes", "dtypes", "values"):
            setattr(found, word, json.dumps(value).encode())
        elif word == "stack":
            found.stack = _text(value) or None
        elif word == "stream":
            found.stream = _name_or_number(value)
        elif isinstance(value, (int, float)) and -_LARGEST < value < _LARGEST:
            setattr(found, word, int(value))
    return found


_LARGEST = 2**63


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any, otherwise: float) -> float:
    try:
        return float(value) if isinstance(value, (int, float)) else otherwise
    except OverflowError:
        return otherwise


def _name_or_number(value: Any) -> int | str | None:
    if isinstance(value, float):
        return int(value) if -_LARGEST < value < _LARGEST else None
    return value if isinstance(value, (int, str)) else None
