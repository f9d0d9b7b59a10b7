"""The curve and the peak of a memory snapshot, against a simple simulation of the allocator."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stepscope.attribution.replay import CURVE_POINTS, curve_points
from stepscope.attribution.snapshot_memory import DevicePeak, device_peaks
from stepscope.timeline.model import NOWHERE
from stepscope.timeline.snapshot.load import parse_snapshot
from tests.snapshots import MODEL, Allocator, stack


def peak_of(allocator: Allocator, keep: int | None = None) -> tuple[DevicePeak, dict[int, int]]:
    """The peak, and its owners by line (0: none)."""
    snapshot = parse_snapshot(allocator.snapshot(keep), "/s.pickle")
    (peak,) = device_peaks(snapshot)
    owners = {
        snapshot.places[place].line if place != NOWHERE else 0: size
        for place, size in peak.owners.items()
        if size
    }
    return peak, owners


def test_the_peak_and_who_holds_it() -> None:
    allocator = Allocator()
    allocator.alloc(1, 1000, stack(11))
    allocator.alloc(2, 300, stack(12))
    allocator.free(1)
    allocator.alloc(1, 900, stack(13))  # the peak comes second: 300 + 900 < 1300
    allocator.free(2)
    allocator.free(1)
    peak, owners = peak_of(allocator)
    assert peak.memory.peak_bytes == 1300
    assert owners == {11: 1000, 12: 300}
    assert peak.memory.peak_line == (MODEL, 12)
    assert peak.memory.before_bytes == 0
    assert [(point.at_ms, point.live_bytes) for point in peak.memory.timeline] == [
        (0.0, 1000), (0.01, 1300), (0.02, 300), (0.04, 1200), (0.05, 900), (0.07, 0),
    ]  # fmt: skip


def test_what_was_there_before_the_recording_counts() -> None:
    allocator = Allocator()
    allocator.alloc(1, 5000, stack(11))  # lives to the end, so its stack is in the snapshot
    allocator.alloc(2, 700, stack(12))  # is freed, so only its size is known
    first = len(allocator.events)
    allocator.alloc(3, 40, stack(13))
    allocator.free(2)
    peak, owners = peak_of(allocator, keep=len(allocator.events) - first)
    assert peak.memory.peak_bytes == 5740
    assert owners == {11: 5000, 13: 40}
    assert peak.memory.before_bytes == 700
    assert {place: size for place, size in peak.allocated.items() if size} != {}
    assert sum(peak.allocated.values()) == 40


def test_memory_is_live_until_its_owner_lets_go() -> None:
    """As torch.cuda.memory_allocated counts; the allocator may have to wait for a stream."""
    allocator = Allocator()
    allocator.alloc(1, 1000, stack(11))
    allocator.free(1, completed=False)
    allocator.alloc(2, 600, stack(12))
    peak, owners = peak_of(allocator)
    assert (peak.memory.peak_bytes, owners) == (1000, {11: 1000})
    assert peak.memory.timeline[-1].live_bytes == 600


def test_a_snapshot_without_history_shows_what_is_live() -> None:
    allocator = Allocator()
    allocator.alloc(1, 1000, stack(11))
    allocator.alloc(2, 600, [])
    peak, owners = peak_of(allocator, keep=0)
    assert peak.memory.peak_bytes == 1600
    assert owners == {11: 1000}
    assert peak.memory.before_bytes == 600
    assert not peak.recorded
    assert peak.memory.timeline == ()
    assert peak.memory.peak_line is None


def test_the_most_that_was_reserved() -> None:
    allocator = Allocator()
    allocator.segment(1 << 20, 4000)
    allocator.segment(2 << 20, 3000)
    allocator.segment(2 << 20, 3000, "segment_free")
    allocator.segment(3 << 20, 1000, "segment_map")
    allocator.alloc(1, 10, stack(11))
    peak, _ = peak_of(allocator)
    assert peak.memory.reserved_bytes == 7000


def test_a_failed_request_is_told_with_its_line() -> None:
    allocator = Allocator()
    allocator.alloc(1, 1000, stack(11))
    allocator.out_of_memory(8000, 123, stack(12))
    allocator.free(1)
    snapshot = parse_snapshot(allocator.snapshot(), "/s")
    ((failure,),) = [peak.failures for peak in device_peaks(snapshot)]
    assert (failure.size, failure.free_bytes, failure.live_bytes) == (8000, 123, 1000)
    assert snapshot.places[failure.place].line == 12


def test_without_times_there_is_a_peak_and_no_curve() -> None:
    allocator = Allocator((2, 1))
    allocator.alloc(1, 1000, stack(11))
    peak, owners = peak_of(allocator)
    assert (peak.memory.peak_bytes, owners, peak.memory.timeline) == (1000, {11: 1000}, ())


STEP = st.tuples(st.booleans(), st.integers(0, 5), st.integers(1, 2000), st.integers(1, 4))


@given(st.lists(STEP, max_size=40), st.integers(0, 80))
def test_any_sequence_adds_up(steps: list[tuple[bool, int, int, int]], keep: int) -> None:
    allocator = Allocator()
    states: list[dict[int, tuple[int, int, int]]] = []  # after each event: address -> size, line
    live: dict[int, tuple[int, int, int]] = {}
    for allocates, address, size, line in steps:
        if allocates and address not in live:
            live[address] = (size, line, len(allocator.events))
            allocator.alloc(address, size, stack(line))
            states.append(dict(live))
        elif not allocates and address in live:
            del live[address]
            allocator.free(address)
            states += [dict(live), dict(live)]
    keep = min(keep, len(allocator.events))
    first = len(allocator.events) - keep
    begin = states[first - 1] if first else {}
    shown = [begin, *states[first:]]

    def total(state: dict[int, tuple[int, int, int]]) -> int:
        return sum(size for size, _, _ in state.values())

    at_peak = max(shown, key=total)
    if not total(at_peak):
        return  # nothing is live in what is kept of the history: there is no peak to own
    peak, owners = peak_of(allocator, keep)
    assert peak.memory.peak_bytes == total(at_peak)
    known: Counter[int] = Counter()
    before = 0
    for address, (size, line, born) in at_peak.items():
        survives = live.get(address) == (size, line, born)
        if born >= first or survives:
            known[line] += size
        else:
            before += size
    assert owners == dict(known)
    assert peak.memory.before_bytes == before


def test_a_thinned_curve_keeps_its_peak() -> None:
    live = [7] * 10_000
    live[5678] = 99
    kept = curve_points(live)
    assert len(kept) <= CURVE_POINTS
    assert 5678 in kept
    assert kept == sorted(kept)
    assert curve_points([3, 1, 2]) == [0, 1, 2]
    assert curve_points([]) == []
