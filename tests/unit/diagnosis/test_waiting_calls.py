"""Rules on calls that make the host wait: values, branches, sizes, explicit synchronisation."""

from __future__ import annotations

import pytest

from stepscope.diagnosis.engine import run_rules
from stepscope.diagnosis.finding import Severity
from stepscope.diagnosis.rules import (
    data_dependent_shape,
    explicit_synchronize,
    many_item_reads,
    tensor_as_bool,
)
from tests.unit.diagnosis.builders import cpu, facts
from tests.unit.diagnosis.gpu_run import Run

BRANCH = "for x in xs:\n    if loss > 3:  # expect: tensor-as-bool\n        y = 1\n"


def test_a_branch_that_waits_is_measured() -> None:
    found = Run(BRANCH).call("if", "aten::is_nonzero", 100, wait_us=90).check("tensor-as-bool")
    assert found.severity is Severity.INFORMATION
    assert found.message.startswith(
        "The host waits 90.0 µs of 1.00 ms (9 %) on this line: branching on a tensor's value has "
    )


def test_a_branch_that_hardly_waits_is_silent() -> None:
    run = Run(BRANCH).call("if", "aten::is_nonzero", 100, wait_us=20)
    assert run.findings("tensor-as-bool") == ()


def test_a_branch_is_not_also_a_value_that_is_read() -> None:
    run = Run(BRANCH).call("if", "aten::is_nonzero", 100, inner=("aten::item",), wait_us=90)
    assert run.findings("sync-in-step") == ()


@pytest.mark.parametrize(
    "line", ["if t:", "while t:", "y = 1 if t else 2", "y = max(t)", "y = not t", "y = a and t"]
)
def test_without_a_gpu_a_condition_is_a_hint(line: str) -> None:
    body = "\n        pass" if line.endswith(":") else ""
    source = f"for x in xs:\n    {line}  # expect: tensor-as-bool{body}\n"
    run = Run(source, device="cpu").call(line, "aten::is_nonzero", inner=("aten::item",))
    assert run.check("tensor-as-bool").severity is Severity.HINT


def test_without_a_gpu_a_line_that_shows_no_condition_is_silent() -> None:
    run = Run("for x in xs:\n    y = f(x)\n", device="cpu").call("y =", "aten::is_nonzero")
    assert run.findings("tensor-as-bool") == ()


SHAPE = "for x in xs:\n    y = x[mask]  # expect: data-dependent-shape\n"


@pytest.mark.parametrize("name", ["aten::index", "aten::_unique2", "aten::nonzero"])
def test_a_size_that_depends_on_values_is_measured(name: str) -> None:
    run = Run(SHAPE).call("y =", name, 100, inner=("aten::nonzero",), wait_us=90)
    assert run.check("data-dependent-shape").evidence["kind"] == "nonzero"


def test_a_size_that_is_learnt_quickly_is_silent() -> None:
    run = Run(SHAPE).call("y =", "aten::index", 100, inner=("aten::nonzero",), wait_us=9)
    assert run.findings("data-dependent-shape") == ()


def test_without_a_gpu_only_a_mask_is_a_hint() -> None:
    masked = Run(SHAPE, device="cpu").call("y =", "aten::index", inner=("aten::nonzero",))
    assert masked.check("data-dependent-shape").severity is Severity.HINT
    by_numbers = Run(SHAPE, device="cpu").call("y =", "aten::index")
    assert by_numbers.findings("data-dependent-shape") == ()


SYNC = "for x in xs:\n    torch.cuda.synchronize()  # expect: explicit-synchronize\n    f(x)\n"


def test_an_explicit_synchronisation_is_measured() -> None:
    found = Run(SYNC).call("synchronize", "", 200, wait_us=190)
    assert found.findings("explicit-synchronize") == ()  # nothing was called
    run = Run(SYNC).call("synchronize", "aten::empty", 200, wait_us=150)
    assert run.check("explicit-synchronize").evidence["per_step"] == 1


def test_a_synchronisation_on_a_busy_gpu_costs_nothing() -> None:
    run = Run(SYNC).call("synchronize", "aten::empty", 200, wait_us=150)
    run.call("f(x)", "aten::mm", 700, kernel_us=985)
    assert run.findings("explicit-synchronize") == ()


READS = """\
for x in xs:
    a = loss.item()  # expect: many-item-reads
    b = norm.item()
    c = top.item()
    f(x)
"""


def reads(run: Run, us: int = 40, wait_us: int = 30) -> Run:
    for text in ("a =", "b =", "c ="):
        run.call(text, "aten::item", us, wait_us=wait_us)
    return run


def test_reads_in_a_row_are_one_finding_and_no_single_ones() -> None:
    run = reads(Run(READS))
    found = run.check("many-item-reads")
    assert found.evidence["per_step"] == 3
    assert [(one.line, one.message) for one in found.related] == [
        (3, "reads another value"),
        (4, "reads another value"),
    ]
    assert found.evidence["wait_ms"] == pytest.approx(0.09, rel=0.01)
    assert run.findings("sync-in-step") == ()


def test_reads_of_one_line_in_a_loop_are_one_finding() -> None:
    source = "for x in xs:\n    n = [p.item() for p in ps]  # expect: many-item-reads\n"
    run = Run(source).call("n =", "aten::item", 10, wait_us=8, times=6)
    assert run.check("many-item-reads").evidence["per_step"] == 6


def test_two_reads_are_single_ones() -> None:
    run = Run(READS).call("a =", "aten::item", 60, wait_us=50)
    run.call("b =", "aten::item", 60, wait_us=50)
    assert run.findings("many-item-reads") == ()
    assert [found.line for found in run.findings("sync-in-step")] == [2, 3]


def test_reads_that_hardly_wait_are_silent() -> None:
    assert reads(Run(READS), wait_us=5).findings("many-item-reads") == ()


def test_without_a_gpu_reads_in_a_row_are_a_hint() -> None:
    found = reads(Run(READS, device="cpu")).check("many-item-reads")
    assert (found.severity, found.gain_ms) == (Severity.HINT, None)


@pytest.mark.parametrize(
    "module", [data_dependent_shape, explicit_synchronize, many_item_reads, tensor_as_bool]
)
def test_without_recorded_operators_they_abstain(
    module: object, caplog: pytest.LogCaptureFixture
) -> None:
    rule = module.RULE  # type: ignore[attr-defined]
    with caplog.at_level("DEBUG"):
        assert run_rules([rule], facts()).findings == ()
        assert run_rules([rule], facts(cpu())).findings == ()
    assert f"{rule.name} abstains" in caplog.text
