"""Planted device work, waits and copies on known lines."""

from __future__ import annotations

from typing import Any

import pytest

TRAINING = """\
import torch
from torch import nn

wide = nn.Parameter(torch.randn(4096, 4096, device="cuda"))
scale = nn.Parameter(torch.randn(4096, device="cuda"))
data = torch.randn(4096, 4096, device="cuda")
optimizer = torch.optim.SGD([wide, scale], lr=1e-3)
for _ in range(60):
    product = data @ wide  # product
    chain = torch.sin(product * scale)  # chain
    loss = chain.square().mean()  # loss
    optimizer.zero_grad()
    loss.backward()  # backward
    optimizer.step()  # optimizer
"""


def test_kernels_are_on_their_lines_forward_and_backward(run: Any) -> None:
    result = run(TRAINING)
    profile = result.profile
    product, chain = result.line("product"), result.line("chain")
    assert "aten::mm" in {op.name for op in product.ops if not op.backward}
    assert "aten::mm" in {op.name for op in product.ops if op.backward}
    assert {"aten::sin", "aten::mul"} <= {op.name for op in chain.ops if not op.backward}
    # One product forward, one backward: the data needs no gradient.
    assert product.backward_ms == pytest.approx(product.forward_ms, rel=0.5)
    assert product.launches == pytest.approx(2, abs=0.5)
    assert product.flops == pytest.approx(2 * 2 * 4096**3)
    assert result.line("backward").work_ms < 0.05 * profile.step_ms.median
    assert result.line("optimizer").forward_ms > 0
    assert profile.coverage.work >= 0.99
    assert product.work_ms == max(line.work_ms for line in profile.lines)


def test_annotations_of_the_optimizer_are_no_work(run: Any) -> None:
    result = run(TRAINING)
    names = {op.name for line in result.profile.lines for op in line.ops}
    names |= {op.name for op in result.profile.unattributed.ops}
    assert not [name for name in names if name.startswith("Optimizer.")]
    busy = result.profile.totals.device_busy_ms
    assert busy is not None
    assert busy <= result.profile.totals.span_ms


def test_other_streams_are_united(run: Any) -> None:
    result = run(
        """\
import torch

left, right = torch.cuda.Stream(), torch.cuda.Stream()
weight = torch.nn.Parameter(torch.randn(4096, 4096, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=1e-3)
for _ in range(60):
    with torch.cuda.stream(left), torch.no_grad():
        a = weight @ weight  # left
    with torch.cuda.stream(right), torch.no_grad():
        b = weight @ weight  # right
    torch.cuda.synchronize()  # wait
    weight.grad = torch.zeros_like(weight)
    optimizer.step()
"""
    )
    work = sum(line.work_ms for line in result.profile.lines)
    assert work <= result.profile.step_ms.median * 1.001
    assert result.line("left").work_ms > 0


# -- waits ----------------------------------------------------------------------------------------

WAITING = """\
import torch

weight = torch.nn.Parameter(torch.randn(8192, 8192, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=1e-3)
for _ in range(60):
    with torch.no_grad():
        long = weight @ weight  # launches
        value = long.{wait}  # waits
    weight.grad = torch.zeros_like(weight)
    optimizer.step()
    torch.cuda.synchronize()  # end
"""


@pytest.mark.parametrize("wait", ["sum().item()", "cpu()", "sum().tolist()"])
def test_the_waiting_line_pays_the_wait_and_the_launching_line_the_work(
    run: Any, wait: str
) -> None:
    result = run(WAITING.format(wait=wait))
    launches, waits = result.line("launches"), result.line("waits")
    waited = waits.wait_ms.total
    assert waited > 0.5 * launches.work_ms
    assert launches.wait_ms.total < 0.1 * launches.work_ms
    assert waits.wait_ms.total <= waits.host_ms * 1.001
    assert launches.work_ms == max(line.work_ms for line in result.profile.lines)


def test_an_explicit_synchronisation_is_its_own_lines_wait(run: Any) -> None:
    result = run(WAITING.replace("value = long.{wait}", "torch.cuda.synchronize()"))
    assert result.line("waits").wait_ms.sync > 0.5 * result.line("launches").work_ms


COPYING = """\
import torch

host = torch.randn(64 * 1024 * 1024){pinned}
weight = torch.nn.Parameter(torch.randn(512, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=1e-3)
for _ in range(60):
    device = host.to("cuda", non_blocking={non_blocking})  # copy
    (weight * device[:512]).sum().backward()
    optimizer.step()
    torch.cuda.synchronize()  # end
"""


def test_a_copy_from_pageable_memory_waits_even_if_asked_not_to(run: Any) -> None:
    copy = run(COPYING.format(pinned="", non_blocking=True)).line("copy")
    assert copy.wait_ms.copy > 0.5 * copy.host_ms
    assert copy.work_ms > 0


def test_a_copy_from_pinned_memory_does_not_wait_if_asked_not_to(run: Any) -> None:
    result = run(COPYING.format(pinned=".pin_memory()", non_blocking=True))
    copy = result.line("copy")
    assert copy.wait_ms.copy == 0
    assert copy.wait_ms.sync == 0
    assert copy.work_ms > copy.host_ms, "the host went on while the device copied"
    assert result.line("end").wait_ms.sync > 0.5 * copy.work_ms


def test_a_copy_from_pinned_memory_synchronises_otherwise(run: Any) -> None:
    copy = run(COPYING.format(pinned=".pin_memory()", non_blocking=False)).line("copy")
    assert copy.wait_ms.total > 0.5 * copy.work_ms
