"""autocast fires where float32 products bound the step on a device that gains, nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rules.autocast import evaluate
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD, breakdown, cpu, facts, gpu
from tests.unit.diagnosis.builders.matmul import matmul


def only(machine: Any = None, **fields: Any) -> Finding:
    found = evaluate(facts(machine, matmul(**fields)))
    assert len(found) == 1
    return found[0]


def none(machine: Any = None, **fields: Any) -> bool:
    return evaluate(facts(machine, matmul(**fields))) == ()


def test_the_finding_is_on_the_statement_that_runs_the_forward_pass() -> None:
    found = only()
    assert (found.file, found.line, found.severity) == (TARGET, FORWARD, Severity.WARNING)
    assert found.evidence == {
        "float32_ms": 20.0,
        "share": pytest.approx(2 / 3),
        "memory_bound_ms": 0.0,
        "bfloat16_ratio": 4.0,
        "peaks": "measured",
        "device": "cuda",
    }


def test_the_gain_is_amdahls_bound_from_the_ratio_and_from_its_root() -> None:
    assert only().gain_ms == (10.0, 15.0)


def test_time_bound_by_memory_does_not_count() -> None:
    assert only(memory_bound_ms=10.0).gain_ms == (5.0, 7.5)
    assert none(memory_bound_ms=16.0)


def test_a_small_share_is_silent() -> None:
    assert none(float32_ms=4.4)
    assert only(float32_ms=4.6).severity is Severity.INFORMATION


@pytest.mark.parametrize(("bfloat16", "fires"), [(64e12, False), (66e12, True)])
def test_a_device_that_hardly_gains_is_silent(bfloat16: float, fires: bool) -> None:
    assert none(gpu(bfloat16_peak=bfloat16)) is not fires


def test_a_processor_that_gains_is_told_of_too() -> None:
    assert only(cpu(bfloat16_peak=160e9), tf32=None).evidence["device"] == "cpu"
    assert none(cpu(), tf32=None)


@pytest.mark.parametrize("missing", ["float32_peak", "bfloat16_peak"])
def test_without_a_peak_the_rule_abstains(missing: str) -> None:
    assert none(gpu(**{missing: None}))


@pytest.mark.parametrize("tf32", [True, None])
def test_on_a_gpu_that_may_use_tf32_the_rule_abstains(tf32: bool | None) -> None:
    assert none(tf32=tf32)


def test_without_a_statement_to_wrap_the_rule_abstains() -> None:
    assert none(loop_line=None)


def test_without_measured_products_the_rule_abstains() -> None:
    assert evaluate(facts()) == ()


def test_a_gpu_that_waits_for_the_host_needs_no_faster_kernels() -> None:
    waiting = breakdown(compute=0.6, overhead=0.25, idle=0.15)
    assert evaluate(facts(matmul(), breakdown=waiting)) == ()
    working = breakdown(compute=0.8, overhead=0.15, idle=0.05)
    assert len(evaluate(facts(matmul(), breakdown=working))) == 1


def test_the_message_names_the_share_and_the_machine() -> None:
    assert only().message == (
        "20.0 ms of the 30.0 ms step (67 %) go into float32 matrix products and convolutions, "
        "forward and backward, of what this statement runs. NVIDIA H200 multiplies bfloat16 "
        "4.00× as fast; torch.autocast uses that."
    )
