"""What lines take in a loader's workers: per batch, beside the step."""

from __future__ import annotations

from stepscope.attribution.workers import WorkerShare, worker_ledger
from stepscope.timeline.model import Timeline
from tests.timelines import Tape

MS = 1_000_000
EVENT_NS = 1000.0


def batch(process: int, length_ms: int, *lines: int, begin: int = 0) -> Tape:
    """One batch of a worker: each of the lines runs once, all equally long."""
    tape = Tape(begin, begin + length_ms * MS, kind="worker")
    tape.window_facts.update(process=process, thread=process, event_ns=EVENT_NS)
    for number, line in enumerate(lines):
        tape.line(begin + number * length_ms * MS // len(lines), line, "item", process)
    return tape


def ledger(*tapes: Tape) -> dict[int, WorkerShare]:
    first = Tape(0, 100, 200, kind="map")
    for tape in tapes:
        first.codes = tape.codes  # the same function in all of them
        first.also(tape)
    timeline: Timeline = first.timeline()
    return {timeline.places[place].line: share for place, share in worker_ledger(timeline).items()}


def test_times_are_per_batch_and_without_what_the_clock_cost() -> None:
    found = ledger(batch(7, 10, 1, 2), batch(7, 20, 1, 2))
    assert found == {1: WorkerShare(7.499, 1.0), 2: WorkerShare(7.499, 1.0)}


def test_a_line_of_some_batches_is_averaged_over_all_of_its_worker() -> None:
    found = ledger(batch(7, 10, 1, 1, 1, 2), batch(7, 10, 1))
    assert found[2].calls == 0.5
    assert found[1].calls == 2.0


def test_another_loaders_batches_do_not_dilute_a_line() -> None:
    found = ledger(batch(7, 10, 1), batch(8, 4, 5), batch(8, 4, 5))
    assert found == {1: WorkerShare(9.999, 1.0), 5: WorkerShare(3.999, 1.0)}


def test_a_batch_that_was_held_up_does_not_count() -> None:
    found = ledger(batch(7, 10, 1), batch(7, 10, 1), batch(8, 1000, 1))
    assert found == {1: WorkerShare(9.999, 1.0)}


def test_without_workers_there_is_nothing() -> None:
    assert ledger() == {}
