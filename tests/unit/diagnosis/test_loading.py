"""Rules on DataLoaders: their workers, epochs, late batches, and the lines that make batches."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.attribution.model import LineCost, StepTime, Waits
from stepscope.diagnosis.engine import run_rules
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.facts.workers import WorkerBatches
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import average_step_ms
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.rules import (
    persistent_workers,
    short_prefetch,
    slow_collate,
    slow_input,
    slow_transform,
    too_many_workers,
    unbalanced_workers,
)
from tests.factories import TARGET, line
from tests.unit.diagnosis.builders import FORWARD, LOOP, cpu, facts, gpu
from tests.unit.diagnosis.builders.loaders import loader, loaders
from tests.unit.diagnosis.gpu_run import Run

STEADY = (0.1,) * 20
NOW_AND_THEN = (0.1,) * 16 + (40.0,) * 4


def only(rule: Rule, made: Facts) -> Finding:
    (found,) = run_rules([rule], made).findings
    assert (found.file, found.line) == (TARGET, FORWARD)
    if found.gain_ms is not None:
        assert 0 <= found.gain_ms[0] <= found.gain_ms[1] <= average_step_ms(made)
        assert found.gain_source
    return found


def silent(rule: Rule, made: Facts) -> bool:
    return run_rules([rule], made).findings == ()


# -- too many workers -----------------------------------------------------------------------------


def test_more_workers_than_cores_are_too_many() -> None:
    found = only(too_many_workers.RULE, facts(cpu(), loaders(loader(num_workers=4))))
    assert found.evidence["workers"] == 2
    assert found.gain_ms is None
    assert silent(too_many_workers.RULE, facts(cpu(), loaders(loader(num_workers=2))))


def test_beside_a_gpu_that_is_fed_in_time_they_do_no_harm() -> None:
    waited, fed = loader(num_workers=16), loader(num_workers=16, wait_ms=0.5)
    assert not silent(too_many_workers.RULE, facts(gpu(), loaders(waited)))
    assert silent(too_many_workers.RULE, facts(gpu(), loaders(fed)))


# -- epochs ---------------------------------------------------------------------------------------


def epochs(**fields: Any) -> Facts:
    values = {"num_workers": 2, "epoch_gap_ms": 400.0, "epochs_per_step": 0.01} | fields
    return facts(loaders(loader(**values)))


def test_workers_that_are_started_anew_cost_their_gap_spread_over_the_epoch() -> None:
    found = only(persistent_workers.RULE, epochs())
    assert found.gain_ms == pytest.approx((0.0, 4.0))
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    "fields",
    [
        {"epoch_gap_ms": 50.0},
        {"epochs_per_step": 0.001},
        {"persistent_workers": True},
        {"persistent_workers": None},
        {"num_workers": 0},
        {"epoch_gap_ms": None},
    ],
)
def test_short_gaps_kept_workers_and_unknown_gaps_are_silent(fields: dict[str, Any]) -> None:
    assert silent(persistent_workers.RULE, epochs(**fields))


def test_the_gap_is_part_of_the_average_step_and_not_of_the_median() -> None:
    anew = loader(num_workers=2, epoch_gap_ms=400.0, epochs_per_step=0.5)
    step = StepTime(median=30.0, p10=30.0, p90=430.0, mean=230.0)
    found = only(persistent_workers.RULE, facts(loaders(anew), step_ms=step))
    assert found.gain_ms == pytest.approx((0.0, 200.0))
    assert found.evidence["share"] == pytest.approx(200 / 230)
    assert "200 ms of the 230 ms that a step takes on average (87 %)" in found.message


def test_epochs_are_told_from_the_fetches_of_a_run() -> None:
    source = "loader = DataLoader(data)\nfor x in loader:\n    f(x)\n"
    run = Run(source, device="cpu").call("f(x)", "aten::mm", 100)
    run.loader(
        "DataLoader(",
        num_workers=2,
        begun=[[999_000, 1_000_000]],
        ended=[[10_000, 14_000]],
        collate=["/a.py", "c"],
    )
    known = run.facts().measured(Loaders)
    assert known is not None
    (found,) = known.all
    # Three fetches of 1 us, the second of which began an epoch after 1 us of making the iterator
    # and 4 us of ending the workers that were there before.
    assert found.waits_ms == (0.001, 0.001)
    assert found.epoch_gap_ms == pytest.approx(0.006)
    assert found.epochs_per_step == pytest.approx(1 / 3)
    assert found.collate == ("/a.py", "c")


# -- late batches ---------------------------------------------------------------------------------


def batches(*workers: float, loader_fields: dict[str, Any] | None = None) -> Facts:
    """A loader with a worker for each of ``workers``, which take that long for a batch."""
    values = {"num_workers": len(workers), "wait_ms": 8.0, "waits_ms": NOW_AND_THEN}
    made = loader(**(values | (loader_fields or {})))
    return facts(loaders(made), WorkerBatches(tuple((ms,) * 3 for ms in workers)))


def test_a_batch_that_is_late_now_and_then_calls_for_more_ahead() -> None:
    found = only(short_prefetch.RULE, batches(20.0, 20.0))
    assert found.evidence["late"] == 4
    assert found.evidence["wanted"] == 4
    assert found.gain_ms == pytest.approx((0.0, 8.0))
    assert silent(slow_input.RULE, batches(20.0, 20.0))


@pytest.mark.parametrize(
    ("workers", "fields"),
    [
        ((60.0, 60.0), {}),  # busy all the time: they are too slow
        ((20.0, 20.0), {"waits_ms": (0.1, 40.0) * 10}),  # every second batch
        ((20.0, 20.0), {"waits_ms": STEADY}),
        ((20.0, 20.0), {"waits_ms": NOW_AND_THEN[-5:]}),  # too few to say what is seldom
    ],
)
def test_slow_workers_and_steady_batches_are_another_matter(
    workers: tuple[float, ...], fields: dict[str, Any]
) -> None:
    assert silent(short_prefetch.RULE, batches(*workers, loader_fields=fields))


def test_slow_workers_are_slow_inputs_matter() -> None:
    assert only(slow_input.RULE, batches(60.0, 60.0)).evidence["workers"] == 3


def test_whose_batches_those_were_is_known_of_a_single_loader_only() -> None:
    both = (loader(num_workers=2, waits_ms=NOW_AND_THEN),) * 2
    assert silent(short_prefetch.RULE, facts(loaders(*both), WorkerBatches(((20.0,) * 3,))))
    alone = loader(num_workers=2, waits_ms=NOW_AND_THEN)
    assert silent(short_prefetch.RULE, facts(loaders(alone)))


# -- one slow worker ------------------------------------------------------------------------------


def test_a_worker_that_is_much_slower_sets_the_pace() -> None:
    found = only(unbalanced_workers.RULE, batches(20.0, 20.0, 80.0))
    assert found.evidence["slowest_ms"] == 80.0
    assert found.gain_ms == pytest.approx((0.0, 8.0))


@pytest.mark.parametrize(
    ("workers", "fields"),
    [
        ((20.0, 20.0, 40.0), {}),
        ((20.0, 80.0), {}),  # of two nobody knows which is the usual one
        ((20.0, 20.0, 80.0), {"wait_ms": 0.1}),
    ],
)
def test_like_workers_two_workers_and_workers_nobody_waits_for_are_silent(
    workers: tuple[float, ...], fields: dict[str, Any]
) -> None:
    assert silent(unbalanced_workers.RULE, batches(*workers, loader_fields=fields))


# -- slow lines -----------------------------------------------------------------------------------

COLLATE = (TARGET, "collate")


def making(*lines: LineCost, machine: Any = None, **fields: Any) -> Facts:
    """A step that waits 15 of 30 ms for a loader, too slow for the workers that it can have."""
    values = {"num_workers": 0, "wait_ms": 28.0, "collate": COLLATE} | fields
    loop = line(LOOP, 28.0, wait_ms=Waits(data=28.0))
    return facts(machine or cpu(), loaders(loader(**values)), lines=(loop, *lines))


def in_step(ms: float, number: int = FORWARD, function: str = "D.__getitem__") -> LineCost:
    return line(number, ms, function=function, wait_ms=Waits(data=ms), calls=32.0)


def in_worker(ms: float, number: int = FORWARD, function: str = "D.__getitem__") -> LineCost:
    return line(number, 0.0, function=function, worker_ms=ms, worker_calls=32.0)


def test_the_line_that_takes_most_of_loading_is_found() -> None:
    found = only(slow_transform.RULE, making(in_step(20.0), in_step(5.0, FORWARD + 1)))
    assert [(one.line, one.message) for one in found.related] == [(LOOP, "waits for the data here")]
    assert found.evidence["line_share"] == pytest.approx(0.8)
    assert found.gain_ms == pytest.approx((0.0, 20.0))


def test_in_workers_it_is_the_lines_part_of_the_wait() -> None:
    made = making(in_worker(60.0), in_worker(20.0, FORWARD + 1), num_workers=1)
    assert only(slow_transform.RULE, made).gain_ms == pytest.approx((0.0, 21.0))


@pytest.mark.parametrize(
    "made",
    [
        making(in_step(10.0), in_step(9.0, FORWARD + 1), in_step(9.0, FORWARD + 2)),
        making(in_step(20.0), wait_ms=2.0),
        making(in_step(20.0), machine=gpu(), wait_ms=15.0),  # more workers hide it
        making(),
    ],
)
def test_even_lines_and_waits_that_workers_hide_are_silent(made: Facts) -> None:
    assert silent(slow_transform.RULE, made)


def test_a_collate_function_that_takes_most_of_loading_is_found() -> None:
    inside = "collate.<locals>.<genexpr>"
    lines = (in_step(12.0, FORWARD, inside), in_step(8.0, FORWARD + 1, "collate"))
    found = only(slow_collate.RULE, making(*lines, in_step(5.0, FORWARD + 2)))
    assert [(one.line, one.message) for one in found.related] == [
        (FORWARD + 1, "takes 8.00 ms of the same batch"),
        (LOOP, "waits for the batch here"),
    ]
    assert found.evidence["collate_share"] == pytest.approx(0.8)
    assert silent(slow_transform.RULE, making(in_step(20.0, FORWARD, "collate")))


@pytest.mark.parametrize("fields", [{"collate": None}, {"wait_ms": 1.0}])
def test_an_unknown_collate_function_and_a_step_that_does_not_wait_are_silent(
    fields: dict[str, Any],
) -> None:
    assert silent(slow_collate.RULE, making(in_step(20.0, FORWARD, "collate"), **fields))


def test_samples_that_cost_more_are_not_the_collate_functions_matter() -> None:
    lines = (in_step(5.0, FORWARD, "collate"), in_step(20.0, FORWARD + 1))
    assert silent(slow_collate.RULE, making(*lines))


@pytest.mark.parametrize(
    "module",
    [
        persistent_workers,
        short_prefetch,
        slow_collate,
        slow_transform,
        too_many_workers,
        unbalanced_workers,
    ],
)
def test_where_reading_was_not_measured_they_abstain(
    module: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        assert silent(module.RULE, facts())
    assert f"{module.RULE.name} abstains" in caplog.text


def test_a_loader_nobody_can_name_is_not_spoken_of() -> None:
    nameless = loader(construct=None, loop=None, num_workers=16)
    assert silent(too_many_workers.RULE, facts(loaders(nameless)))
