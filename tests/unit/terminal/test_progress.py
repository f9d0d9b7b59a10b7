from __future__ import annotations

import io

from stepscope.session.model import Phase, Progress, Stillness
from stepscope.terminal.progress import Silence, StatusLine

CLEAR = b"\r\x1b[K"
STATUS = "stepscope: measuring · step 3 of 10".encode()
MEASURING = Progress(Phase.MEASURING, 3, 10)


def test_on_a_terminal_one_line_is_redrawn() -> None:
    stream = io.BytesIO()
    status = StatusLine(stream, terminal=True)
    status.progress(Progress(Phase.STARTING))
    status.progress(MEASURING)
    status.close()
    assert stream.getvalue() == b"stepscope: starting" + CLEAR + STATUS + CLEAR


def test_elsewhere_each_phase_is_a_line() -> None:
    stream = io.BytesIO()
    status = StatusLine(stream, terminal=False)
    for state in (Progress(Phase.STARTING), MEASURING, Progress(Phase.MEASURING, 4, 10)):
        status.progress(state)
    status.close()
    assert stream.getvalue() == b"stepscope: starting\nstepscope: measuring\n"


def test_the_targets_bytes_pass_through_unchanged() -> None:
    stream = io.BytesIO()
    status = StatusLine(stream, terminal=True)
    status.progress(MEASURING)
    status.output(b"loss \xff")
    status.output(b"1.0\n")
    status.close()
    assert stream.getvalue() == STATUS + CLEAR + b"loss \xff1.0\n" + STATUS + CLEAR


def test_what_follows_starts_on_a_line_of_its_own() -> None:
    stream = io.BytesIO()
    status = StatusLine(stream, terminal=False)
    status.output(b"no line end")
    status.close()
    assert stream.getvalue() == b"no line end\n"


def test_silence_keeps_the_end() -> None:
    silence = Silence()
    silence.progress(MEASURING)
    silence.output(b"a" * Silence.KEPT_BYTES)
    silence.output(b"end")
    assert len(silence.kept) == Silence.KEPT_BYTES
    assert silence.kept.endswith(b"aend")


def test_a_target_that_makes_no_step_is_told_on_a_line_of_its_own() -> None:
    stream = io.BytesIO()
    status = StatusLine(stream, terminal=True)
    status.progress(Progress(Phase.STARTING))
    status.output(b"loading")
    status.progress(Progress(Phase.STARTING, still=Stillness(60.0, True, "/a/data.py", 41)))
    assert stream.getvalue() == (
        b"stepscope: starting" + CLEAR + b"loading\n"
        b"stepscope: no step after 60 s; it is at data.py:41. It goes on; Ctrl-C stops it.\n"
        b"stepscope: starting"
    )


def test_a_target_that_cannot_say_where_it_is_is_told_as_well() -> None:
    stream = io.BytesIO()
    status = StatusLine(stream, terminal=False)
    status.progress(Progress(Phase.MEASURING, 3, 10, Stillness(60.0, False)))
    assert stream.getvalue() == (
        b"stepscope: no further step for 60 s. It goes on; Ctrl-C stops it.\n"
    )
