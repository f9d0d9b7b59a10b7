"""Files appear whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from stepscope.report.exports.files import written_whole


def test_a_file_is_written_as_given(tmp_path: Path) -> None:
    path = tmp_path / "日本 \udcff.csv"
    with written_whole(path) as out:
        out.write("a\r\nb\n\udcff é")
        assert not path.exists()
    assert path.read_bytes() == b"a\r\nb\n\\udcff \xc3\xa9"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("before")
    with contextlib.suppress(RuntimeError), written_whole(path) as out:
        out.write("half")
        raise RuntimeError
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_gzip_by_name_and_the_same_each_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json.gz", tmp_path / "b.json.gz"
    for path in (first, second):
        with written_whole(path) as out:
            out.write("text " * 1000)
    assert gzip.decompress(first.read_bytes()) == b"text " * 1000
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size < 200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such links and modes")
def test_a_link_stays_a_link_and_a_mode_stays_a_mode(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    with written_whole(link) as out:
        out.write("after")
    assert link.is_symlink()
    assert real.read_text() == "after"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    with written_whole(pipe) as out:
        out.write("through")
    reader.join()
    assert got == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
