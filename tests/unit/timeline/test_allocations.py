"""The allocator's history fills what the profiler left out, and nothing else."""

from __future__ import annotations

from stepscope.timeline.allocations import complete
from stepscope.timeline.model import MemoryEvents


def reported() -> MemoryEvents:
    return MemoryEvents(
        time=[10, 30], address=[0xA, 0xA], size=[512, -512], thread=[1, 1], device=[0, 0]
    )


def test_a_block_that_only_the_history_knows_is_added_in_time_order() -> None:
    events = complete(reported(), [(20, 0xB, 100), (25, 0xB, -100)], device=0)
    assert list(events.time) == [10, 20, 25, 30]
    assert list(events.size) == [512, 100, -100, -512]
    assert list(events.thread) == [1, -1, -1, 1]
    assert list(events.device) == [0, 0, 0, 0]


def test_a_block_that_both_know_is_counted_once_with_its_thread() -> None:
    events = complete(reported(), [(10, 0xA, 500), (30, 0xA, -500)], device=0)
    assert list(events.size) == [512, -512]
    assert list(events.thread) == [1, 1]


def test_an_address_of_another_device_is_another_block() -> None:
    events = complete(reported(), [(10, 0xA, 500)], device=1)
    assert sorted(events.device) == [0, 0, 1]
    assert sum(events.size) == 500


def test_without_history_nothing_changes() -> None:
    memory = reported()
    assert complete(memory, [], device=0) is memory
