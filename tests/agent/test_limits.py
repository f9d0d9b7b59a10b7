"""Recordings that something spoils: a compile in their middle, too many operators, too long."""

from __future__ import annotations

import pytest

from stepscope.session.model import FailureKind
from tests.agent.attempts import Project, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

COMPILING = """
import time
import torch

torch._dynamo.config.recompile_limit = torch._dynamo.config.cache_size_limit = 10_000
w = torch.rand(8, 8, requires_grad=True)

@torch.compile(backend="eager", dynamic=False)
def loss(x):
    return (x @ w).sum()

for n in range(60):
    begin = time.perf_counter()
    x = torch.rand({rows}, 8)
    loss(x).backward()
    w.data -= 0.01 * w.grad
    w.grad = None
    print("pass", n, time.perf_counter() - begin, flush=True)
"""
STILL = "torch.compile went on compiling in the measured steps, so their times include it."
# What the run may take, lowered by the target itself, since the agent lives in its process.
LIMIT = "import sys; limits = sys.modules['_stepscope_agent.limits']; limits.{} = {}"


def test_a_pass_with_a_compile_in_it_begins_anew(project: Project) -> None:
    # Passes 0 and 1 warm up (with a compile), 2 to 5 are the clean pass.
    target = project.file(COMPILING.format(rows="4 + (n >= 4)"))
    outcome = project.run(target, steps=4, warmup=2)
    profile = outcome.reported.profile
    told = [line.split() for line in outcome.output.decode().splitlines() if line[:4] == "pass"]
    compiling = float(told[4][2]) * 1e3
    assert profile.run.steps == 4
    assert profile.step_ms.p90 < compiling / 2, "the compile at pass 4 is in the clean steps"
    assert STILL not in profile.notes


def test_a_script_that_never_stops_compiling_is_measured_and_told(project: Project) -> None:
    profile = project.run(project.file(COMPILING.format(rows="4 + n"))).reported.profile
    assert STILL in profile.notes


MANY = """
import torch
{limit}
w = torch.rand(4, requires_grad=True)
for n in range(40):
    loss = w.sum()
    for _ in range({operators}):
        loss = loss + 1
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
    torch.nn.functional.linear(w, w)
"""


def test_a_step_with_too_many_operators_ends_the_run(project: Project) -> None:
    limit = LIMIT.format("MAX_GROWTH_BYTES", "8 << 20")
    target = project.file(MANY.format(limit=limit, operators="30_000 if n > 6 else 10"))
    failed = project.run(target, steps=2, warmup=2).failed
    assert failed.kind is FailureKind.NO_STEP
    assert failed.message == (
        "One step of train.py makes more operators than 8 MB of profiler memory hold; choose an "
        "inner loop, or call stepscope.step() more often."
    )


def test_a_recording_that_takes_too_long_is_cut_and_told(project: Project) -> None:
    limit = LIMIT.format("MAX_PASS_S", "0.0")
    profile = project.run(
        project.file(MANY.format(limit=limit, operators="10")), steps=None, warmup=2
    ).reported.profile
    notes = [note for note in profile.notes if "pass was cut" in note]
    assert notes == [
        "The clean pass was cut after 1 step, because it took longer than 0 s.",
        "The line pass was cut after 2 steps, because it took longer than 0 s.",
        "The mapping pass was cut after 2 steps, because it took longer than 0 s.",
    ]
    assert profile.run.steps == 1
