"""Rules on copies between host and device, on runs that are written down call by call."""

from __future__ import annotations

import pytest

from stepscope.diagnosis.engine import run_rules
from stepscope.diagnosis.facts.calls import Calls
from stepscope.diagnosis.finding import Severity
from stepscope.diagnosis.rules import (
    blocking_copy,
    cpu_index,
    cpu_made_tensor,
    many_small_copies,
    pageable_copy,
    pin_in_loop,
    type_round_trip,
)
from tests.unit.diagnosis.builders import cpu, facts
from tests.unit.diagnosis.gpu_run import Run

PAGEABLE = "HtoD (Pageable -> Device)"
PINNED = "HtoD (Pinned -> Device)"
BACK = "DtoH (Device -> Pageable)"

COPYING = """\
loader = DataLoader(data, batch_size=32)  # expect: pageable-copy
for x in loader:
    x = x.to(device)
    model(x)
"""


def copying(source: str = COPYING, **fields: bool) -> Run:
    return Run(source).loader("DataLoader(", **fields)


def test_pageable_batches_are_the_loaders_matter() -> None:
    run = copying().call("x.to(", "aten::to", 100, inner=("aten::_to_copy",), copy=PAGEABLE)
    found = run.check("pageable-copy")
    assert found.severity is Severity.WARNING
    assert found.evidence["copy_ms"] == pytest.approx(0.1)
    assert found.evidence["at"] == "loader"
    assert found.gain_ms == pytest.approx((0.0, 0.1))


def test_a_pageable_copy_that_no_loader_explains_is_on_its_own_line() -> None:
    source = "for x in batches:\n    x = x.to(device)  # expect: pageable-copy\n"
    found = Run(source).call("x.to(", "aten::to", 100, copy=PAGEABLE).check("pageable-copy")
    assert found.evidence["at"] == "copy"


def test_short_pinned_and_unknown_copies_are_no_pageable_ones() -> None:
    for us, copy in ((20, PAGEABLE), (100, PINNED), (100, "HtoD"), (100, BACK)):
        assert copying().call("x.to(", "aten::to", us, copy=copy).findings("pageable-copy") == ()


def test_on_a_gpu_that_is_busy_all_the_same_copies_are_not_spoken_of() -> None:
    run = copying().call("x.to(", "aten::to", 100, copy=PAGEABLE)
    run.call("model(x)", "aten::mm", 890, kernel_us=975)
    assert run.findings("pageable-copy") == ()


BLOCKING = """\
for x in loader:
    x = x.to(device)  # expect: blocking-copy
    model(x)
"""


def test_a_wait_for_a_pinned_copy_needs_non_blocking() -> None:
    run = Run(BLOCKING).call("x.to(", "aten::to", 100, copy=PINNED, wait_us=80)
    found = run.check("blocking-copy")
    assert found.evidence["wait_ms"] == pytest.approx(0.08, rel=0.01)
    assert found.gain_ms == pytest.approx((0.0, 0.08), rel=0.01)


def test_pageable_short_and_asynchronous_copies_need_none() -> None:
    for copy, wait in ((PAGEABLE, 80), (PINNED, 20), (PINNED, 0), (BACK, 80)):
        run = Run(BLOCKING).call("x.to(", "aten::to", 100, copy=copy, wait_us=wait)
        assert run.findings("blocking-copy") == ()


def test_a_wait_for_an_upload_is_not_taken_for_a_value_that_is_read() -> None:
    run = Run(BLOCKING).call("x.to(", "aten::to", 100, copy=PINNED, wait_us=80)
    assert run.findings("sync-in-step") == ()


def test_pinning_in_the_step_is_found_by_its_operator() -> None:
    source = "for x in xs:\n    y = x.pin_memory().to(d)  # expect: pin-in-loop\n"
    run = Run(source).call("pin_memory", "aten::pin_memory", 200)
    found = run.call("pin_memory", "aten::to", 20, copy=PINNED).check("pin-in-loop")
    assert found.evidence["pin_ms"] == pytest.approx(0.2)
    assert Run(source).call("pin_memory", "aten::pin_memory", 20).findings("pin-in-loop") == ()


MADE = "for x in xs:\n    m = torch.zeros(n, n).to(device)  # expect: cpu-made-tensor\n"


def test_a_tensor_filled_on_the_host_and_copied_is_found() -> None:
    run = Run(MADE).call("zeros", "aten::zeros", 40).call("zeros", "aten::to", 40, copy=PAGEABLE)
    found = run.check("cpu-made-tensor")
    assert found.evidence["spent_ms"] == pytest.approx(0.08)


def test_a_tensor_made_on_the_device_or_not_copied_is_none() -> None:
    made = Run(MADE).call("zeros", "aten::zeros", 40, kernel_us=5)
    assert made.call("zeros", "aten::to", 40, copy=PAGEABLE).findings("cpu-made-tensor") == ()
    assert Run(MADE).call("zeros", "aten::zeros", 80).findings("cpu-made-tensor") == ()


def test_without_a_gpu_only_both_calls_on_the_line_are_a_hint() -> None:
    found = Run(MADE, device="cpu").call("zeros", "aten::zeros", 1).check("cpu-made-tensor")
    assert found.severity is Severity.HINT
    assert found.message.endswith("Not measured: no GPU in this run.")
    for line in ("torch.zeros(n)", "torch.zeros(n).to(torch.float16)", "z(n).to(device)"):
        run = Run(f"for x in xs:\n    m = {line}\n", device="cpu").call("m =", "aten::zeros", 1)
        assert run.findings("cpu-made-tensor") == ()


TRIP = "for x in xs:\n    y = x.type(torch.LongTensor).to(device)  # expect: type-round-trip\n"


def test_a_line_that_copies_both_ways_is_a_round_trip() -> None:
    run = Run(TRIP).call("x.type", "aten::to", 40, copy=BACK, wait_us=30)
    found = run.call("x.type", "aten::to", 40, copy=PAGEABLE).check("type-round-trip")
    assert found.evidence["copy_ms"] == pytest.approx(0.08)
    assert Run(TRIP).call("x.type", "aten::to", 80, copy=BACK).findings("type-round-trip") == ()


def test_without_a_gpu_the_spelling_of_a_host_type_is_a_hint() -> None:
    found = Run(TRIP, device="cpu").call("x.type", "aten::to", 1).check("type-round-trip")
    assert found.severity is Severity.HINT
    for line in ("x.type(torch.long)", "x.type(torch.cuda.LongTensor)", "x.type()"):
        run = Run(f"for x in xs:\n    y = {line}\n", device="cpu").call("y =", "aten::to", 1)
        assert run.findings("type-round-trip") == ()


SMALL = "for xs in loader:\n    ys = [x.to(device) for x in xs]  # expect: many-small-copies\n"


def test_many_small_copies_by_one_line_are_found() -> None:
    run = Run(SMALL).call("ys =", "aten::to", 10, copy=PINNED, copy_us=2, times=20)
    found = run.check("many-small-copies")
    assert found.evidence["copies"] == 20
    assert found.gain_ms == pytest.approx((0.0, 0.19))


def test_few_or_large_copies_are_worth_their_start() -> None:
    for copy_us, times in ((2, 5), (30, 20)):
        run = Run(SMALL).call("ys =", "aten::to", 10, copy=PINNED, copy_us=copy_us, times=times)
        assert run.findings("many-small-copies") == ()


INDEX = "for x in xs:\n    y = x[rows]  # expect: cpu-index\n"


def test_an_index_that_is_copied_first_is_found() -> None:
    run = Run(INDEX).call("y =", "aten::index", 100, copy=PAGEABLE, wait_us=80)
    assert run.check("cpu-index").evidence["kind"] == "index"


def test_a_mask_or_an_index_on_the_device_is_not() -> None:
    mask = Run(INDEX).call("y =", "aten::index", 100, copy=BACK, wait_us=80)
    assert mask.findings("cpu-index") == ()
    assert Run(INDEX).call("y =", "aten::index", 100).findings("cpu-index") == ()
    on_cpu = Run(INDEX, device="cpu").call("y =", "aten::index", 100)
    assert on_cpu.findings("cpu-index") == ()


def test_what_a_line_asks_for_is_told_with_its_copies_and_waits() -> None:
    run = Run(BLOCKING).call("x.to(", "aten::to", 100, copy=PINNED, copy_us=7, wait_us=80, times=2)
    calls = run.facts().measured(Calls)
    assert calls is not None
    (call,) = calls.all
    assert (call.line[1], call.name, call.per_step, call.loading) == (2, "aten::to", 2.0, False)
    assert call.host_ms == pytest.approx(0.2)
    assert call.device_ms == pytest.approx(0.014)
    assert call.blocked_ms == pytest.approx(0.16, rel=0.01)
    (copy,) = call.copies
    assert (copy.direction, copy.pageable, copy.per_step) == ("HtoD", False, 2.0)


@pytest.mark.parametrize(
    "module",
    [
        blocking_copy,
        cpu_index,
        cpu_made_tensor,
        many_small_copies,
        pageable_copy,
        pin_in_loop,
        type_round_trip,
    ],
)
def test_without_recorded_operators_they_abstain(
    module: object, caplog: pytest.LogCaptureFixture
) -> None:
    rule = module.RULE  # type: ignore[attr-defined]
    with caplog.at_level("DEBUG"):
        assert run_rules([rule], facts()).findings == ()
        assert run_rules([rule], facts(cpu())).findings == ()
    assert f"{rule.name} abstains" in caplog.text
