"""The capture file: what is written is read, and damage is told."""

from __future__ import annotations

import json
import struct
from array import array
from pathlib import Path
from typing import Any

import pytest

from stepscope.agent.capture import (
    CLOCK_COLUMNS,
    FETCH_COLUMNS,
    MAGIC,
    Capture,
    CaptureError,
    Window,
    new_table,
    read_capture,
    write_capture,
)


def make() -> Capture:
    clock = new_table(CLOCK_COLUMNS)
    for row in ((10, 1, 0, 0), (11, 1, 0, 5), ((1 << 62), 1, 0, -1)):
        for column, value in zip(clock.values(), row, strict=True):
            column.append(value)
    window = Window("lines", 10, 20, [10, 15, 20], {"clock": clock}, {"event_ns": 0.25})
    fetches = new_table(FETCH_COLUMNS)
    return Capture(
        {"target": "/项目/train.py"},
        ["aten::mm", "🙂"],
        [{"file": "/项目/train.py", "function": "f", "first_line": 1}],
        [window, Window("clean", 1, 2, [1, 2])],
        fetches,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "capture"
    write_capture(str(path), make())
    return path


def test_round_trip(path: Path) -> None:
    assert read_capture(str(path)) == make()
    assert list(path.parent.iterdir()) == [path], "the partial file is gone"


def test_columns_are_little_endian_whatever_the_machine(path: Path) -> None:
    times = array("q", [10, 11, 1 << 62])
    assert struct.pack("<3q", *times) in path.read_bytes()


def test_writing_replaces_an_older_capture(path: Path) -> None:
    capture = make()
    capture.strings.append("more")
    write_capture(str(path), capture)
    assert read_capture(str(path)).strings[-1] == "more"


def test_every_cut_is_told(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(CaptureError):
            read_capture(str(path))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 a zip file of some kind",
        b"STEPCAP0" + bytes(100),
        MAGIC + struct.pack("<Q", 1 << 63) + b"{}",
        MAGIC + struct.pack("<Q", 2) + b"{}",
        MAGIC + struct.pack("<Q", 2) + b"[]",
        MAGIC + struct.pack("<Q", 4) + b"\xff\xfe\xfd\xfc",
        MAGIC + struct.pack("<Q", 3) + b"{1}",
    ],
)
def test_anything_else_is_told(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(CaptureError):
        read_capture(str(path))


@pytest.mark.parametrize(
    "column",
    [
        ["start", "q", 10**15],  # more than the file holds: nothing is allocated for it
        ["start", "q", -1],
        ["start", "Z", 1],
        ["start", "q", "many"],
        ["start", "q"],
        "start",
    ],
)
def test_a_header_that_lies_about_a_column(path: Path, column: Any) -> None:
    header: dict[str, Any] = {
        "facts": {},
        "strings": [],
        "codes": [],
        "fetches": [column],
        "windows": [],
    }
    text = json.dumps(header).encode("ascii")
    path.write_bytes(MAGIC + struct.pack("<Q", len(text)) + text + bytes(64))
    with pytest.raises(CaptureError):
        read_capture(str(path))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_capture(str(tmp_path / "none"))
