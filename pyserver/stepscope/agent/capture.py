"""The capture file: what the agent measured, as columns. Standard library only.

Layout: 8 bytes magic, 8 bytes length of the JSON header, the header, then the columns' bytes in the
order in which the header names them. Columns are little-endian arrays of ``array`` type codes. The
reader trusts nothing: every length is checked against the file before anything is allocated.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from array import array
from dataclasses import dataclass, field
from typing import Any, BinaryIO

MAGIC = b"STEPCAP1"
_MAX_HEADER = 256 * 1024 * 1024
_CODES = {"q": 8, "i": 4, "d": 8}

OP_COLUMNS = {
    "name": "i",  # index into strings
    "start": "q",  # ns since the epoch
    "duration": "q",  # ns
    "thread": "i",  # the profiler's own thread number, or device stream
    "native": "q",  # the system's thread id
    "sequence": "q",  # autograd sequence number, -1 without
    "forward_thread": "i",
    "scope": "i",  # RecordFunction scope: 0 function, 1 backward function, 7 user scope
    "kind": "i",  # index into EVENT_KINDS
    "device": "i",  # device index for device events, -1 on the host
    "correlation": "q",
    "linked": "q",  # correlation of the operator that a device event belongs to
    "inputs": "i",  # index into strings: shapes and dtypes as one text, -1 not recorded
}
CLOCK_COLUMNS = {
    "time": "q",  # ns since the epoch
    "thread": "q",  # system thread id
    "code": "i",  # index into codes
    # > 0 a line begins; 0 a frame is entered; -1 it is left; -1 - n a generator goes on in line n
    "line": "i",
}
MEMORY_COLUMNS = {
    "time": "q",
    "address": "q",
    "bytes": "q",  # negative when freed
    "thread": "i",  # the profiler's own thread number
    "device": "i",  # -1 the host, else the device's index
}
FETCH_COLUMNS = {
    "start": "q",
    "end": "q",
    "cpu": "q",  # ns of processor time that the calling thread used meanwhile
    "loader": "i",
    "thread": "q",  # system thread id
}
EVENT_KINDS = ("op", "annotation", "runtime", "kernel", "memcpy", "memset", "sync", "overhead")


def new_table(columns: dict[str, str]) -> dict[str, array[Any]]:
    """Empty columns, ready to be appended to."""
    return {name: array(code) for name, code in columns.items()}


@dataclass
class Window:
    """What was recorded over some consecutive steps.

    ``kind`` is "lines" (line clock alone), "map" (profiler and line clock) or "detail" (profiler
    with shapes and memory, and line clock). ``ticks`` are the times (ns) at which steps were
    counted.
    """

    kind: str
    start: int
    end: int
    ticks: list[int]
    tables: dict[str, dict[str, array[Any]]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass
class Capture:
    """Everything that crosses from the agent to the server."""

    facts: dict[str, Any]
    strings: list[str]
    codes: list[dict[str, Any]]  # {file, function, first_line}
    windows: list[Window]
    fetches: dict[str, array[Any]]


def write_capture(path: str, capture: Capture) -> None:
    """Write to a temporary name first: a capture that exists is whole."""
    blobs: list[array[Any]] = []

    def describe(table: dict[str, array[Any]]) -> list[list[Any]]:
        described = []
        for name, column in table.items():
            described.append([name, column.typecode, len(column)])
            blobs.append(column)
        return described

    header = {
        "facts": capture.facts,
        "strings": capture.strings,
        "codes": capture.codes,
        "fetches": describe(capture.fetches),
        "windows": [
            {
                "kind": window.kind,
                "start": window.start,
                "end": window.end,
                "ticks": window.ticks,
                "facts": window.facts,
                "tables": {name: describe(table) for name, table in window.tables.items()},
            }
            for window in capture.windows
        ],
    }
    text = json.dumps(header).encode("ascii")
    partial = path + ".partial"
    with open(partial, "wb") as out:
        out.write(MAGIC + struct.pack("<Q", len(text)))
        out.write(text)
        for blob in blobs:
            if sys.byteorder == "big":
                blob.byteswap()
            blob.tofile(out)
    os.replace(partial, path)


class CaptureError(ValueError):
    """The file is no capture, or it is damaged."""


def read_capture(path: str) -> Capture:
    """Read what ``write_capture`` wrote. Raises ``CaptureError`` on anything else."""
    try:
        return _read(path)
    except CaptureError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise CaptureError(f"{path} is damaged in its header ({error!r})") from error


def read_facts(path: str) -> dict[str, Any]:
    """The facts of a capture alone. Raises ``CaptureError``, and ``OSError``."""
    try:
        with open(path, "rb") as source:
            facts = _read_header(path, source)["facts"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        if isinstance(error, CaptureError):
            raise
        raise CaptureError(f"{path} is damaged in its header ({error!r})") from error
    if not isinstance(facts, dict):
        raise CaptureError(f"{path} is damaged in its header (no facts)")
    return facts


def _read_header(path: str, source: BinaryIO) -> Any:
    """The header; ``source`` stands behind it then."""
    size = os.path.getsize(path)
    head = source.read(16)
    if len(head) < 16 or head[:8] != MAGIC:
        raise CaptureError(f"{path} is not a capture of this version")
    (length,) = struct.unpack("<Q", head[8:])
    if length > min(size - 16, _MAX_HEADER):
        raise CaptureError(f"{path} is cut off in its header")
    return json.loads(source.read(length))


def _read(path: str) -> Capture:
    size = os.path.getsize(path)
    with open(path, "rb") as source:
        header = _read_header(path, source)
        left = size - source.tell()

        def load(described: list[list[Any]]) -> dict[str, array[Any]]:
            nonlocal left
            table = {}
            for name, code, count in described:
                width = _CODES.get(code)
                if width is None or count < 0 or count * width > left:
                    raise CaptureError(f"{path} is cut off in column {name}")
                column = array(code)
                column.frombytes(source.read(count * width))
                left -= count * width
                if sys.byteorder == "big":
                    column.byteswap()
                table[name] = column
            return table

        fetches = load(header["fetches"])
        windows = [
            Window(
                kind=entry["kind"],
                start=entry["start"],
                end=entry["end"],
                ticks=entry["ticks"],
                facts=entry["facts"],
                tables={name: load(described) for name, described in entry["tables"].items()},
            )
            for entry in header["windows"]
        ]
    return Capture(header["facts"], header["strings"], header["codes"], windows, fetches)
