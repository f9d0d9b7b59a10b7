"""Pickles of plain data are read as Python reads them; of anything else nothing runs."""

from __future__ import annotations

import datetime
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.timeline.snapshot.plain_pickle import PickleRefused, is_pickle, load_plain

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**400), 2**400) | st.floats(allow_nan=False)
    | st.text(max_size=8) | st.text(min_size=250, max_size=260),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=4)
    | st.tuples() | st.tuples(inner) | st.tuples(inner, inner) | st.tuples(inner, inner, inner)
    | st.tuples(inner, inner, inner, inner),
    max_leaves=20,
)  # fmt: skip


@given(PLAIN, st.integers(2, 5))
def test_plain_values_come_back(value: Any, protocol: int) -> None:
    assert load_plain(pickle.dumps(value, protocol)) == value


def test_shared_values_stay_shared() -> None:
    frames = [{"line": number} for number in range(300)]
    found = load_plain(pickle.dumps([frames, list(frames), frames]))
    assert found[0] is found[2]
    assert all(one is other for one, other in zip(found[0], found[1], strict=True))


class _Runs:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __reduce__(self) -> Any:
        return os.mkdir, (self._path,)


@pytest.mark.parametrize("protocol", range(6))
def test_code_in_a_pickle_does_not_run(tmp_path: Path, protocol: int) -> None:
    data = pickle.dumps({"segments": [], "x": _Runs(tmp_path / "made")}, protocol)
    with pytest.raises(PickleRefused, match=r"run code|no pickle of protocol"):
        load_plain(data)
    assert not (tmp_path / "made").exists()
    pickle.loads(data)
    assert (tmp_path / "made").exists(), "the same bytes do run something elsewhere"


@pytest.mark.parametrize(
    ("instructions", "name"),
    [
        (b"cos\nsystem\n(S'true'\ntR.", "GLOBAL"),
        (b"\x8c\x02os\x8c\x06system\x93)R.", "STACK_GLOBAL"),
        (b")]R.", "REDUCE"),
        (b"(ios\nsystem\n.", "INST"),
        (b"(]o.", "OBJ"),
        (b"])\x81.", "NEWOBJ"),
        (b"])}\x92.", "NEWOBJ_EX"),
        (b"}}b.", "BUILD"),
        (b"Pid\n.", "PERSID"),
        (b"KQ\x51.", "BINPERSID"),
        (b"\x82\x01.", "EXT1"),
        (b"\x83\x01\x00.", "EXT2"),
        (b"\x84\x01\x00\x00\x00.", "EXT4"),
    ],
)
def test_every_instruction_that_would_run_something_is_named(
    instructions: bytes, name: str
) -> None:
    with pytest.raises(PickleRefused, match=rf"asks to run code \({name}\)"):
        load_plain(b"\x80\x02" + instructions)


@pytest.mark.parametrize(
    "value", [{1, 2}, b"bytes", bytearray(b"x"), frozenset((1,)), datetime.date(2026, 1, 1), Path()]
)
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(PickleRefused, match=r"byte"):
        load_plain(pickle.dumps([value]))


def test_every_cut_is_told() -> None:
    data = pickle.dumps({"segments": [{"address": 2**40, "é": 1.5}, ("x" * 300, None)]})
    for end in range(len(data)):
        with pytest.raises(PickleRefused):
            load_plain(data[:end])
    with pytest.raises(PickleRefused, match=r"cut off after 30 bytes"):
        load_plain(data[:30])


WHOLE = pickle.dumps({"a": [1, 300, -5, 2**40, 1.5, "text", None, True], "b": ({"c": []}, ())})


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(2, len(WHOLE) - 1), st.integers(0, 255)), max_size=4))
def test_damage_is_told_or_yields_plain_data(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for where, byte in changes:
        data[where] = byte
    try:
        found = load_plain(bytes(data))
    except PickleRefused:
        return
    assert type(found) in (dict, list, tuple, str, int, float, bool, type(None))


@given(st.binary(max_size=60))
def test_noise_is_told_or_yields_plain_data(noise: bytes) -> None:
    try:
        found = load_plain(b"\x80\x04" + noise)
    except PickleRefused:
        return
    assert type(found) in (dict, list, tuple, str, int, float, bool, type(None))


@pytest.mark.parametrize(
    "instructions",
    [
        pytest.param(b"]r\xff\xff\xff\xff.", id="a memo of 4 G entries"),
        pytest.param(b"X" + struct.pack("<I", 2**32 - 1) + b"x.", id="a text of 4 GB"),
        pytest.param(b"\x8d" + struct.pack("<Q", 2**62) + b"x.", id="a text of 4 EB"),
        pytest.param(b"\x8a\xff" + b"\x01" * 255 + b".", id="a number of 255 bytes"),
        pytest.param(b"\x8b\xff\xff\xff\x7f.", id="a number of 2 GB"),
        pytest.param(b"}K\x01K\x02\x86K\x01s.", id="a tuple as a key"),
        pytest.param(b"u.", id="no mark"),
        pytest.param(b"\x86.", id="an empty stack"),
        pytest.param(b"h\x05.", id="a memo that was never made"),
        pytest.param(b"K\x01K\x02.", id="two values"),
        pytest.param(b"(K\x01.", id="an open mark"),
        pytest.param(b"K\x01K\x02a.", id="appended to a number"),
    ],
)  # fmt: skip
def test_bombs_and_nonsense_are_refused(instructions: bytes) -> None:
    with pytest.raises(PickleRefused):
        load_plain(b"\x80\x04" + instructions)


@pytest.mark.parametrize("byte", [b"]", b"}", b"(", b"N", b"K\x01", b"]\x94", b"\x8c\x00"])
def test_what_a_file_may_use_is_bounded(byte: bytes) -> None:
    with pytest.raises(PickleRefused, match=r"would take more than 0\.0 GB"):
        load_plain(b"\x80\x04" + byte * 300_000, limit=1_000_000)


def test_numbers_that_collide_are_no_keys() -> None:
    """Each of them has the same hash, so a dict of n takes n * n steps."""
    modulus = 2**61 - 1
    colliding = {number * modulus: None for number in range(1, 4000)}
    data = pickle.dumps(colliding | {-number: None for number in range(2, 500)})
    with pytest.raises(PickleRefused, match=r"no text"):
        load_plain(data)


def test_nesting_has_no_end() -> None:
    deep = 200_000
    found = load_plain(b"\x80\x04" + b"]" * deep + b"a" * (deep - 1) + b".")
    depth = 0
    while found:
        (found,) = found
        depth += 1
    assert depth == deep - 1


def test_text_in_another_encoding_is_kept_readable() -> None:
    assert load_plain(b"\x80\x02X\x03\x00\x00\x00a\xffb.") == "a\\xffb"


def test_a_pickle_is_known_by_its_head() -> None:
    assert is_pickle(pickle.dumps([]))
    assert not is_pickle(b"PK\x03\x04")
    assert not is_pickle(b'{"traceEvents": []}')
    assert not is_pickle(b"\x80")
