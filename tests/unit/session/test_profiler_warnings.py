"""The target's output must look as it does without us."""

from __future__ import annotations

from stepscope.session.profiler_warnings import without_ours

MEMORY = (
    b"[W1130 17:34:51.763931093 CPUAllocator.cpp:245] Memory block of unknown size was allocated "
    b"before the profiling started, profiler results will not include the deallocation event\n"
)
EVENTS = (
    b"[W1130 17:34:52.830385687 collection.cpp:1021] Warning: Failed to recover relationship "
    b"between all profiler and kineto events: 1412 vs. 0  reassociated. (function reassociate)\n"
)
THEIRS = b"[W1130 17:34:51.763931093 Context.cpp:816] Warning: something of the target's\n"


def test_what_our_recording_makes_torch_say_is_left_out() -> None:
    text = b"step 1\n" + MEMORY + b"step 2\n" + EVENTS + THEIRS + b"no line end"
    assert without_ours(text) == b"step 1\nstep 2\n" + THEIRS + b"no line end"


def test_nothing_else_changes() -> None:
    for text in (b"", b"\n\n", THEIRS, b"he said: " + MEMORY, MEMORY[:-1], b"\xff\x00[W"):
        assert without_ours(text) == text
