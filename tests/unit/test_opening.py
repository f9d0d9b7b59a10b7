"""Opening one large recording can be given up, while it is read and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.opening import open_recordings
from stepscope.timeline.kineto import stream
from tests import traces

BLOCK = 256


class _GivenUpError(Exception):
    pass


def test_one_file_can_be_given_up_at_every_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_BLOCK", BLOCK)
    (tmp_path / "train.py").write_text(traces.TRAIN, encoding="utf-8")
    trace = traces.write(tmp_path / "trace.json", traces.events())

    blocks = trace.stat().st_size // (2 * BLOCK)
    total = 0

    def count() -> None:
        nonlocal total
        total += 1

    whole = open_recordings([trace], pause=count).report
    assert whole.profile.timed
    assert blocks >= 3
    assert total > blocks + 8, "between the blocks, and between the stages behind them"

    for allowed in (0, 1, blocks - 1, blocks + 2, total - 1):
        left = allowed

        def give_up() -> None:
            nonlocal left
            if left == 0:
                raise _GivenUpError
            left -= 1

        with pytest.raises(_GivenUpError):
            open_recordings([trace], pause=give_up)
