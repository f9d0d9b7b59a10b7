"""Snapshots of several versions of torch, read from files, and what is wrong with others."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from stepscope.timeline.model import NOWHERE, Place
from stepscope.timeline.recorded_code import is_user_file
from stepscope.timeline.snapshot import load as load_module
from stepscope.timeline.snapshot.load import SnapshotError, load_snapshot, parse_snapshot
from stepscope.timeline.snapshot.model import ALLOC, FREE, OUT_OF_MEMORY, RELEASE, RESERVE
from tests import snapshots
from tests.snapshots import MODEL, TRAIN, Allocator, stack

VERSIONS = [(2, 0), (2, 1), (2, 2), (2, 13)]


@pytest.mark.parametrize("torch", VERSIONS)
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_version_says_the_same(tmp_path: Path, torch: tuple[int, int], protocol: int) -> None:
    allocator = Allocator(torch)
    allocator.segment(0x7000, 4096)
    allocator.alloc(0x7000, 1000, stack(11))
    allocator.alloc(0x7400, 500, stack(12))
    allocator.free(0x7400)
    allocator.segment(0x9000, 2048, "segment_map")
    allocator.segment(0x9000, 2048, "segment_unmap")
    allocator.out_of_memory(10**9, 7, stack(13))
    path = snapshots.write(allocator.snapshot(), tmp_path / "s.pickle", protocol)

    found = load_snapshot(path)

    (device,) = found.devices
    places = [Place(MODEL, line, "forward") for line in (11, 12, 13)]
    assert sorted(found.places, key=lambda place: place.line) == places
    lines = [found.places[place].line if place != NOWHERE else None for place in device.place]
    assert list(device.action) == [RESERVE, ALLOC, ALLOC, FREE, RESERVE, RELEASE, OUT_OF_MEMORY]
    assert lines == [None, 11, 12, None, None, None, 13]
    assert list(device.size) == [4096, 1000, 500, 500, 2048, 2048, 10**9]
    assert list(device.address) == [0x7000, 0x7000, 0x7400, 0x7400, 0x9000, 0x9000, 7]
    (block,) = device.live
    assert (block.address, block.size, found.places[block.place].line) == (0x7000, 1000, 11)
    assert device.reserved == 4096
    assert found.main == TRAIN
    if torch < (2, 2):
        assert device.time is None
    else:
        assert device.time is not None
        assert device.time[1] - device.time[0] == 10_000
        assert device.time[4] - device.time[3] == 20_000  # free_completed lies between


def test_devices_are_kept_apart(tmp_path: Path) -> None:
    first, second = Allocator(), Allocator(device=2)
    first.alloc(0x7000, 100, stack(11))
    second.alloc(0x7000, 300, stack(12))
    made = first.snapshot()
    other = second.snapshot()
    made["segments"] += other["segments"]
    made["device_traces"] += other["device_traces"][1:]
    found = load_snapshot(snapshots.write(made, tmp_path / "s.pickle"))
    assert [(device.device, list(device.size)) for device in found.devices] == [
        (0, [100]),
        (2, [300]),
    ]


@pytest.mark.parametrize(
    ("frames", "line"),
    [
        pytest.param(stack(11), 11, id="below torch"),
        pytest.param(stack(11)[:1], None, id="library only"),
        pytest.param([], None, id="no stack"),
        pytest.param(
            [
                snapshots.frame("??", 0, "torch::unwind::unwind()"),
                snapshots.frame("/pytorch/aten/src/ATen/ops/empty.cpp", 12, "at::empty"),
                *stack(11),
            ],
            11,
            id="with C++",
        ),
        pytest.param(
            [snapshots.frame("/tmp/torchinductor_me/ab/cab.py", 55, "call"), *stack(11)],
            11,
            id="generated code",
        ),
        pytest.param(
            [snapshots.frame("<eval_with_key>.3", 5, "forward"), *stack(11)], 11, id="fx graph"
        ),
        pytest.param([snapshots.frame(MODEL, 0, "f"), *stack(11)], 11, id="no line"),
    ],
)
def test_memory_belongs_to_the_innermost_user_line(
    tmp_path: Path, frames: list[Any], line: int | None
) -> None:
    allocator = Allocator()
    allocator.alloc(0x7000, 100, frames)
    found = load_snapshot(snapshots.write(allocator.snapshot(), tmp_path / "s.pickle"))
    place = found.devices[0].place[0]
    assert (None if place == NOWHERE else found.places[place].line) == line


@pytest.mark.parametrize(
    ("file", "mine"),
    [
        ("/home/me/train.py", True),
        ("train.py", True),
        ("C:\\Users\\me\\train.py", True),
        ("/home/me/torch/train.py", True),
        ("/home/me/mylib/python3/model.py", True),
        ("/tmp/ipykernel_4711/1234.py", True),
        ("<ipython-input-3-abc>", True),
        ("/opt/conda/lib/python3.10/threading.py", False),
        ("/usr/lib/python3/dist-packages/apt.py", False),
        ("/venv/lib64/python3.13t/site-packages/x/y.py", False),
        ("C:\\Python311\\Lib\\threading.py", False),
        ("/home/me/pytorch/torch/nn/modules/linear.py", False),
        ("/home/me/pytorch/torch/_tensor.py", False),
        ("/home/me/native.cpp", False),
        ("<frozen importlib._bootstrap>", False),
        ("<string>", False),
        ("??", False),
        ("", False),
    ],
)
def test_whose_a_file_is(file: str, mine: bool) -> None:
    assert is_user_file(file) is mine


def _refused(path: Path) -> str:
    with pytest.raises(SnapshotError) as caught:
        load_snapshot(path)
    message = str(caught.value)
    assert message.startswith(path.name)
    assert message.endswith(".")
    return message


def test_what_is_no_snapshot_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s.pickle"
    assert "cannot be read" in _refused(path)
    path.write_bytes(b"")
    assert "no pickle" in _refused(path)
    path.write_text("{}")
    assert "no pickle" in _refused(path)
    path.write_bytes(pickle.dumps([1, 2]))
    assert "no segments" in _refused(path)
    path.write_bytes(pickle.dumps({"state": 1}))
    assert "no segments" in _refused(path)
    allocator = Allocator()
    allocator.alloc(0x7000, 100, stack(11))
    whole = snapshots.write(allocator.snapshot(), path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "cut off" in _refused(path)


def _with(**changes: Any) -> dict[str, Any]:
    allocator = Allocator()
    allocator.alloc(0x7000, 100, stack(11))
    made = allocator.snapshot()
    made["device_traces"][0][0] |= changes
    return made


@pytest.mark.parametrize(
    "made",
    [
        _with(size=-1),
        _with(size="big"),
        _with(size=2**80),
        _with(addr=-5),
        _with(addr=None),
        _with(action=["alloc"]),
        _with(frames=[1]),
        _with(frames=[{"filename": 7, "line": 1, "name": "f"}]),
        _with(frames=[{"filename": MODEL, "line": 1.5, "name": "f"}]),
        _with(frames={"a": 1}),
        _with(time_us="now"),
        {"segments": [], "device_traces": [{}]},
        {"segments": [], "device_traces": [[7]]},
        {"segments": [None], "device_traces": []},
        {"segments": [{"device": 0, "address": 1, "total_size": 1}], "device_traces": []},
        {"segments": [{"device": 10**9, "address": 1, "total_size": 1, "blocks": []}]},
        {"segments": [], "device_traces": [[]] * 1000},
        {"segments": [{"blocks": [{}]}]},
    ],
)
def test_nonsense_inside_is_told_in_a_sentence(tmp_path: Path, made: Any) -> None:
    _refused(snapshots.write(made, tmp_path / "s.pickle"))


def test_a_function_without_a_name_has_none() -> None:
    made = _with(frames=[{"filename": MODEL, "line": 3, "name": None}])
    assert parse_snapshot(made, "/s").places[-1] == Place(MODEL, 3, "")


def test_a_list_that_is_named_again_and_again_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(load_module, "_MAX_ENTRIES", 1000)
    allocator = Allocator()
    for number in range(20):
        allocator.alloc(0x7000 + 512 * number, 100, stack(11))
    made = allocator.snapshot()
    made["device_traces"] *= 60
    assert "more than 1,000 events" in _refused(snapshots.write(made, tmp_path / "s.pickle"))


def test_a_huge_file_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(load_module, "MAX_FILE", 10)
    made = snapshots.write(Allocator().snapshot(), tmp_path / "s.pickle")
    assert "max_entries" in _refused(made)


def test_an_empty_recording_has_no_devices(tmp_path: Path) -> None:
    made = snapshots.write(Allocator().snapshot(), tmp_path / "s.pickle")
    assert load_snapshot(made).devices == []
