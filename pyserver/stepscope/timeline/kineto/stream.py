"""A trace file -> its events, block by block.

A trace may be larger than memory ought to hold, or cut off in the middle. So it is read once, from
front to back, and never kept whole. Where one event ends and the next begins is proven, not
guessed: a block is cut only where all that stands before the cut parses as a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stepscope.timeline.kineto.text import TraceError, read_text

_BLOCK = 4 << 20
_LARGEST_EVENT = 64 << 20
_MOST_KEYS = 1000
_TRIES = 16
_BETWEEN = re.compile(rb"\}\s*(?=,\s*\{)")
_AT_END = re.compile(rb"\}\s*(?=\])")

Decode = Callable[[bytes], list[Any] | None]
"""A JSON list as text -> its elements; None where it does not parse."""


@dataclass(slots=True)
class Surroundings:
    """The file's other keys, and how reading ended.

    ``cut``: the events end without the end of their list. ``size`` is bytes of text.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    cut: bool = False
    size: int = 0


def read_events(path: Path, decode: Decode, around: Surroundings) -> Iterator[list[Any]]:
    """The file's events in blocks; ``around`` is filled on the way. Raises ``TraceError``."""
    text = _Text(path, around)
    text.find_events()
    while True:
        events, more = text.next_block(decode)
        if events:
            yield events
        if not more:
            return


class _Text:
    """What has been read and not been used yet."""

    def __init__(self, path: Path, around: Surroundings) -> None:
        self._path = path
        self._around = around
        self._pieces = read_text(path)
        self._here = b""
        self._ended = False

    def find_events(self) -> None:
        """Go to the first event."""
        self._fill(_BLOCK)
        if self._here.startswith(b"\xef\xbb\xbf"):
            self._here = self._here[3:]
        first = self._next()
        if not first:
            raise TraceError(f"{self._path} is empty.")
        if first not in b"[{":
            raise TraceError(f"{self._path} is not JSON, so it is no trace.")
        self._here = self._here[1:]
        if first == b"[":  # the format's other form has nothing but the events
            return
        for _ in range(_MOST_KEYS):
            key = self._key()
            if key is None:
                break
            if key == "traceEvents" and self._next() == b"[":
                self._here = self._here[1:]
                return
            self._around.keys[key] = self._value()
        raise TraceError(
            f"{self._path} has no list of traceEvents, so it is no torch.profiler trace."
        )

    def next_block(self, decode: Decode) -> tuple[list[Any] | None, bool]:
        """The next events, and whether more follow."""
        if self._next() == b"]":
            return None, False
        wanted = _BLOCK
        while True:
            self._fill(wanted)
            events, rest = _split(self._here, decode, _BETWEEN)
            if events is not None:
                self._here = rest.lstrip()[1:]  # without the comma
                return events, True
            events, rest = _split(self._here, decode, _AT_END)
            if events is not None:
                self._here = rest.lstrip()[1:]
                self._read_keys_behind()
                return events, False
            if self._ended or wanted >= _LARGEST_EVENT:
                # Cut off, or damaged: what came before is what there is.
                self._around.cut = True
                last = self._here.rstrip().removesuffix(b",")
                return (decode(b"[" + last + b"]") if self._ended else None), False
            wanted = 2 * max(wanted, len(self._here))

    def _read_keys_behind(self) -> None:
        try:
            for _ in range(_MOST_KEYS):
                key = self._key()
                if key is None:
                    return
                self._around.keys[key] = self._value()
        except TraceError:
            return  # the events are complete, and that is what counts

    def _key(self) -> str | None:
        """The next key of the outer object, its colon taken; None at the object's end."""
        if self._next() == b",":
            self._here = self._here[1:]
        if self._next() != b'"':
            return None
        key = self._value()
        if self._next() != b":":
            raise TraceError(f"{self._path} is not valid JSON, so it is no trace.")
        self._here = self._here[1:]
        return str(key)

    def _value(self) -> Any:
        self._next()
        wanted = 1 << 16
        value: Any = None
        while True:
            self._fill(wanted)
            whole = self._ended and len(self._here) <= wanted
            text = self._here[:wanted].decode("utf-8", "surrogateescape")
            try:
                value, end = json.JSONDecoder().raw_decode(text)
            except RecursionError:
                raise TraceError(f"{self._path} is nested too deeply for a trace.") from None
            except ValueError:
                end = len(text)
            # A number that ends where the text does might go on.
            if end < len(text):
                used = len(text[:end].encode("utf-8", "surrogateescape"))
                self._here = self._here[used:]
                return value
            if whole:
                raise TraceError(
                    f"{self._path} is not valid JSON, or was cut off before its first event."
                )
            wanted *= 4
            if wanted > _LARGEST_EVENT:
                raise TraceError(
                    f"{self._path} begins with more than a trace would, so it is none."
                )

    def _next(self) -> bytes:
        """The next character that is no space; empty at the end of the file."""
        self._here = self._here.lstrip()
        while not self._here and not self._ended:
            self._fill(_BLOCK)
            self._here = self._here.lstrip()
        return self._here[:1]

    def _fill(self, wanted: int) -> None:
        if len(self._here) >= wanted or self._ended:
            return
        pieces = [self._here]
        size = len(self._here)
        while size < wanted:
            piece = next(self._pieces, b"")
            if not piece:
                self._ended = True
                break
            pieces.append(piece)
            size += len(piece)
            self._around.size += len(piece)
        self._here = b"".join(pieces)


def _split(
    text: bytes, decode: Decode, boundary: re.Pattern[bytes]
) -> tuple[list[Any] | None, bytes]:
    """The events before the last boundary at which they parse, and what is behind it."""
    for end in _last_ends(text, boundary):
        events = decode(b"[" + text[:end] + b"]")
        if events is not None:
            return events, text[end:]
    return None, text


def _last_ends(text: bytes, boundary: re.Pattern[bytes]) -> Iterator[int]:
    """Where the last matches end, the last one first."""
    high, width, tries = len(text), 1 << 14, 0
    while high > 0:
        low = max(0, high - width)
        ends = [m.end() for m in boundary.finditer(text, low) if m.start() < high]
        for end in reversed(ends):
            yield end
            tries += 1
            if tries == _TRIES:
                return
        high, width = low, width * 8
