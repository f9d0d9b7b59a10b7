"""slow-input fires on measured waits, names workers from measured times, and knows its limits."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rules.slow_input import evaluate
from tests.factories import TARGET, run_info
from tests.unit.diagnosis.builders import FORWARD, LOOP, cpu, facts, gpu
from tests.unit.diagnosis.builders.loaders import loader, loaders


def only(machine: Any = None, **fields: Any) -> Finding:
    found = evaluate(facts(machine, loaders(loader(**fields))))
    assert len(found) == 1
    return found[0]


def none(machine: Any = None, **fields: Any) -> bool:
    return evaluate(facts(machine, loaders(loader(**fields)))) == ()


def test_the_finding_is_on_the_call_that_makes_the_loader() -> None:
    found = only()
    assert (found.rule, found.file, found.line, found.end_line) == (
        "slow-input",
        TARGET,
        FORWARD,
        FORWARD,
    )


def test_without_that_line_the_finding_is_on_the_loop() -> None:
    assert only(construct=None).line == LOOP


def test_without_any_line_the_rule_abstains() -> None:
    assert none(construct=None, loop=None)


@pytest.mark.parametrize(
    ("wait_ms", "severity"),
    [(6.0, Severity.WARNING), (5.9, Severity.INFORMATION), (3.0, Severity.INFORMATION)],
)
def test_severity_follows_the_share_of_the_step(wait_ms: float, severity: Severity) -> None:
    assert only(wait_ms=wait_ms, fetch_cpu_ms=wait_ms).severity is severity


def test_a_wait_under_a_tenth_of_the_step_is_silent() -> None:
    assert none(wait_ms=2.9)


@pytest.mark.parametrize(
    ("wait_ms", "workers"),
    [(10.0, 1), (15.0, 1), (20.0, 2), (22.0, 3), (25.0, 5), (29.0, 7), (30.0, 7)],
)
def test_workers_are_fetch_over_training_bounded_by_the_cores(wait_ms: float, workers: int) -> None:
    found = only(wait_ms=wait_ms)
    assert found.evidence["workers"] == workers


def test_with_workers_the_fetch_time_follows_from_their_number() -> None:
    # Two workers sustain one 30 ms step together: 60 ms a batch, over 15 ms of training.
    assert only(num_workers=2, fetch_cpu_ms=0.1).evidence["workers"] == 4


def test_workers_that_are_as_many_as_the_cores_allow_are_silent() -> None:
    assert none(num_workers=7)
    assert none(num_workers=12)
    assert none(cpu(), num_workers=1)


def test_one_core_still_gets_one_worker_beside_a_gpu() -> None:
    assert only(gpu(cores=1), wait_ms=20.0).evidence["workers"] == 1


def test_the_gain_is_never_more_than_the_wait_and_low_is_not_above_high() -> None:
    for wait in (4.0, 15.0, 22.0, 29.9, 30.0, 31.0):
        for workers in (0, 1, 3):
            for machine in (gpu(), cpu(), cpu(cores=16, threads=4), gpu(cores=1)):
                for found in evaluate(
                    facts(machine, loaders(loader(wait_ms=wait, num_workers=workers)))
                ):
                    assert found.gain_ms is not None
                    low, high = found.gain_ms
                    assert 0 <= low <= high <= wait


def test_enough_workers_hide_the_whole_wait() -> None:
    found = only(wait_ms=20.0, fetch_cpu_ms=20.0)
    assert found.gain_ms == (20.0, 20.0)


def test_a_bounded_number_of_workers_hides_what_it_can_sustain() -> None:
    # One worker takes 20 ms for what the training waits for, and trains 10 ms beside it.
    found = only(gpu(cores=2), wait_ms=20.0, fetch_cpu_ms=20.0)
    assert found.gain_ms == (10.0, 10.0)


def test_fetch_time_off_the_processor_is_not_divided_among_workers() -> None:
    # 20 ms of disk behind each batch are there however many ask for it.
    found = only(wait_ms=25.0, fetch_cpu_ms=5.0)
    assert found.evidence["workers"] == 5
    assert found.gain_ms == (9.0, 25.0)


def test_on_a_cpu_run_without_spare_cores_nothing_is_certain() -> None:
    assert only(cpu()).gain_ms == (0.0, 15.0)


def test_on_a_cpu_run_the_cores_that_torch_leaves_count() -> None:
    found = only(cpu(cores=8, threads=4), wait_ms=20.0, fetch_cpu_ms=20.0)
    assert found.gain_ms == (20.0, 20.0)
    found = only(cpu(cores=8, threads=7), wait_ms=20.0, fetch_cpu_ms=20.0)
    assert found.gain_ms == (10.0, 20.0)


def test_unmeasured_processor_time_is_not_taken_for_zero_cost() -> None:
    assert only(wait_ms=20.0, fetch_cpu_ms=None).gain_ms == (10.0, 20.0)
    assert "fetch_cpu_ms" not in only(fetch_cpu_ms=None).evidence


def test_a_gain_too_small_to_see_is_silent() -> None:
    # Nothing but loading: one worker would only do the same elsewhere.
    assert none(cpu(), wait_ms=29.5)


def test_each_loader_has_its_own_finding() -> None:
    both = (loader(wait_ms=10.0), loader(wait_ms=12.0, construct=(TARGET, LOOP)))
    assert [f.line for f in evaluate(facts(loaders(*both)))] == [FORWARD, LOOP]


def test_the_message_says_what_was_measured_and_what_would_keep_up() -> None:
    assert only(wait_ms=22.0).message == (
        "The step waits 22.0 ms of 30.0 ms (73 %) for this DataLoader, which loads in the "
        "training process (num_workers=0). 3 workers would keep up."
    )


def test_the_message_says_when_the_cores_do_not_suffice() -> None:
    assert only(cpu(), wait_ms=20.0).message == (
        "The step waits 20.0 ms of 30.0 ms (67 %) for this DataLoader, which loads in the "
        "training process (num_workers=0). 1 worker, as many as 2 cores allow, would hide up to "
        "10.0 ms. On the CPU they share 2 cores with the training, so it may be less."
    )


def test_the_message_counts_the_workers_that_are_there() -> None:
    assert "whose 2 workers cannot keep up. 4 workers would keep up." in only(num_workers=2).message


def test_evidence_carries_its_units_in_its_names() -> None:
    found = only(gpu(), wait_ms=22.0, fetch_cpu_ms=21.0)
    measured = {k: v for k, v in found.evidence.items() if k != "start_method"}
    assert measured == {
        "wait_ms": 22.0,
        "wait_share": pytest.approx(22 / 30),
        "num_workers": 0,
        "workers": 3,
        "cores": 8,
        "fetch_cpu_ms": 21.0,
    }


@pytest.mark.parametrize(
    ("platform", "python", "spawns"),
    [
        ("linux", "3.11.4", False),
        ("linux", "3.14.0", True),
        ("linux", "3.15.0a1", True),
        ("win32", "3.11.4", True),
        ("darwin", "3.12.1", True),
    ],
)
def test_evidence_says_where_workers_import_the_script_again(
    platform: str, python: str, spawns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    found = evaluate(facts(loaders(loader()), run=run_info(python=python)))[0]
    assert (found.evidence.get("start_method") == "spawn") is spawns
