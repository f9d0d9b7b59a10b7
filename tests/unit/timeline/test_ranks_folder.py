"""A folder of ranks: which captures belong together, which are missing, which are not ours."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from stepscope.agent.capture import MAGIC, Capture, CaptureError, read_facts, write_capture
from stepscope.timeline import ranks_folder
from stepscope.timeline.kineto.text import TraceError
from stepscope.timeline.rank_files import find_recordings
from stepscope.timeline.ranks_folder import read_ranks_folder


def record(folder: Path, rank: int, size: int = 2, run_id: str = "a", **facts: Any) -> None:
    write(folder, rank, {"rank": rank, "world_size": size, "run_id": run_id, "host": "here",
                         "started": "2026-01-01"} | facts)  # fmt: skip


def write(folder: Path, rank: int, facts: dict[str, Any]) -> None:
    path = folder / f"rank{rank:05d}.capture"
    write_capture(str(path), Capture(facts, [], [], [], {}))


def manifest(folder: Path, rank: int, state: str, run_id: str = "a") -> None:
    told = {"rank": rank, "run_id": run_id, "state": state}
    (folder / f"rank{rank:05d}.json").write_text(json.dumps(told))


def test_captures_come_in_the_order_of_their_ranks(tmp_path: Path) -> None:
    for rank in (11, 2, 0, 100_000):
        record(tmp_path, rank, size=100_001, host="b" if rank else "a")
    found = read_ranks_folder(tmp_path)
    assert [each.rank for each in found.captures] == [0, 2, 11, 100_000]
    assert [each.path.name for each in found.captures][-1] == "rank100000.capture"
    assert (found.run_id, found.world_size, found.hosts) == ("a", 100_001, ("a", "b"))


def test_a_whole_run_has_nothing_to_be_said_of(tmp_path: Path) -> None:
    for rank in (0, 1):
        record(tmp_path, rank)
        manifest(tmp_path, rank, "recorded")
    (tmp_path / "notes.txt").write_text("mine")
    found = read_ranks_folder(tmp_path)
    assert (found.missing, found.notes) == ((), ())


def test_missing_ranks_are_named_with_what_they_said_last(tmp_path: Path) -> None:
    record(tmp_path, 1, size=4)
    manifest(tmp_path, 0, "failed")
    manifest(tmp_path, 2, "running")
    manifest(tmp_path, 3, "ended", run_id="another")
    found = read_ranks_folder(tmp_path)
    assert found.missing == (0, 2, 3)
    assert found.notes == (
        "Ranks 0 (it failed), 2 (killed, or running still), 3 of 4 left no capture.",
    )


def test_many_missing_ranks_are_counted(tmp_path: Path) -> None:
    record(tmp_path, 0, size=1_000_000_000)
    found = read_ranks_folder(tmp_path)
    assert found.notes == (
        "Ranks 1, 2, 3, 4, 5, 6, 7, 8 and 999,999,991 more of 1,000,000,000 left no capture.",
    )
    assert len(found.missing) == ranks_folder.MOST_RANKS


def test_of_several_runs_the_one_with_most_ranks_counts_then_the_latest(tmp_path: Path) -> None:
    record(tmp_path, 0, run_id="new", started="2026-02-01")
    record(tmp_path, 1, run_id="new", started="2026-02-01")
    record(tmp_path, 2, size=4, run_id="old")
    found = read_ranks_folder(tmp_path)
    assert found.run_id == "new"
    assert found.notes == ("Of another run, and left out: rank00002.capture.",)
    record(tmp_path, 3, size=4, run_id="old", started="2026-03-01")
    assert read_ranks_folder(tmp_path).run_id == "old"


def test_two_captures_of_one_rank(tmp_path: Path) -> None:
    record(tmp_path, 0)
    record(tmp_path, 1)
    (tmp_path / "rank7.capture").write_bytes((tmp_path / "rank00001.capture").read_bytes())
    found = read_ranks_folder(tmp_path)
    assert [each.path.name for each in found.captures] == [
        "rank00000.capture", "rank00001.capture",
    ]  # fmt: skip
    assert found.notes == ("Of a rank that is there already, and left out: rank7.capture.",)


@pytest.mark.parametrize(
    "damage",
    [
        b"", b"not a capture", MAGIC + struct.pack("<Q", 2**62) + b"{}",
        MAGIC + struct.pack("<Q", 12) + b'{"facts": 3}', MAGIC + struct.pack("<Q", 2) + b"[]",
        MAGIC + struct.pack("<Q", 200_000) + b"[" * 200_000,
        MAGIC + struct.pack("<Q", 4) + b"\xff\xfe\xfd\xfc",
    ],
    ids=["empty", "text", "huge header", "no facts", "a list", "deep", "no text"],
)  # fmt: skip
def test_what_cannot_be_read_is_named_and_the_rest_counts(tmp_path: Path, damage: bytes) -> None:
    record(tmp_path, 0)
    bad = tmp_path / "rank00001.capture"
    bad.write_bytes(damage)
    with pytest.raises(CaptureError):
        read_facts(str(bad))
    found = read_ranks_folder(tmp_path)
    assert [each.rank for each in found.captures] == [0]
    assert found.notes[0].startswith("rank00001.capture cannot be read (")
    assert found.notes[1] == "Rank 1 of 2 left no capture."


@pytest.mark.parametrize(
    "facts",
    [
        {"rank": None, "world_size": None, "run_id": None}, {"rank": True}, {"rank": -1},
        {"rank": 2}, {"rank": "1"}, {"world_size": 1.5}, {"run_id": 3},
    ],
)  # fmt: skip
def test_facts_that_name_no_rank_are_refused(tmp_path: Path, facts: dict[str, Any]) -> None:
    write(tmp_path, 1, {"rank": 1, "world_size": 2, "run_id": "a"} | facts)
    with pytest.raises(CaptureError, match=r"no capture of a rank .*rank00001\.capture cannot"):
        read_ranks_folder(tmp_path)


def test_folders_links_and_strangers_do_no_harm(tmp_path: Path) -> None:
    record(tmp_path, 0)
    (tmp_path / "rank00001.capture").symlink_to(tmp_path / "rank00001.capture")
    (tmp_path / "rank00002.capture").mkdir()
    os.mkfifo(tmp_path / "rank00003.capture")
    os.mkfifo(tmp_path / "rank00004.json")
    (tmp_path / "rank00005.json").write_text("[" * 50_000)
    (tmp_path / "rank00006.json").write_text("[1]")
    (tmp_path / "rank00001.json").write_bytes(b"x" * 100_000)
    found = read_ranks_folder(tmp_path)
    assert [each.rank for each in found.captures] == [0]
    assert len(found.notes) == 4


def test_a_folder_of_very_many_ranks_is_read_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks_folder, "MOST_RANKS", 3)
    for rank in range(6):
        record(tmp_path, rank, size=6)
    found = read_ranks_folder(tmp_path)
    assert len(found.captures) == 3
    assert found.notes[0] == f"{tmp_path} holds more than 3 captures; the rest was not read."


def test_a_folder_without_ranks(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="holds no capture of a rank"):
        read_ranks_folder(tmp_path)


def test_opening_a_folder_takes_the_captures_of_one_run(tmp_path: Path) -> None:
    """Of the lowest rank first, and with a word on everything that is left out."""
    for rank in (2, 0):
        record(tmp_path, rank, size=3)
        manifest(tmp_path, rank, "recorded")
    record(tmp_path, 5, size=6, run_id="old")
    (tmp_path / "mine.capture").write_bytes((tmp_path / "rank00000.capture").read_bytes())
    found = find_recordings([tmp_path])
    assert [path.name for path in found.files] == ["rank00000.capture", "rank00002.capture"]
    assert found.notes == (
        "Of another run, and left out: rank00005.capture.",
        "Rank 1 of 3 left no capture.",
        "Of no rank, and left out: mine.capture.",
    )


def test_captures_that_only_have_the_name_of_a_rank_are_opened_too(tmp_path: Path) -> None:
    write(tmp_path, 0, {"rank": None, "world_size": None, "run_id": None})
    found = find_recordings([tmp_path])
    assert [path.name for path in found.files] == ["rank00000.capture"]


def test_a_folder_whose_ranks_left_no_capture_says_so(tmp_path: Path) -> None:
    manifest(tmp_path, 0, "failed")
    manifest(tmp_path, 1, "running")
    with pytest.raises(TraceError, match="holds no capture: its ranks failed, or ended before"):
        find_recordings([tmp_path])
    trace = tmp_path / "rank2.json"
    trace.write_text('{"traceEvents": []}')
    assert trace in find_recordings([tmp_path]).files
