"""Our numbers of a step on a card against CUDA's and torch's own."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STEP = """\
import json
import torch
from torch import nn

model = nn.Sequential(
    nn.Linear(4096, 8192), nn.GELU(), nn.Linear(8192, 4096), nn.GELU(), nn.Linear(4096, 4096)
).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
data = torch.randn(4096, 4096, device="cuda")


def step():
    loss = model(data).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


"""


def test_the_peak_is_that_of_the_allocator(run: Any) -> None:
    result = run(
        STEP
        + """\
for _ in range(60):
    step()
    print(json.dumps({"peak": torch.cuda.max_memory_allocated()}), flush=True)
"""
    )
    memory = result.profile.memory
    assert memory is not None
    assert memory.peak_bytes == pytest.approx(result.said[-1]["peak"], rel=0.01)
    assert memory.reserved_bytes >= memory.peak_bytes
    # Parameters, their gradients and two moments of each are known to the byte.
    parameters = 4 * (2 * 4096 * 8192 + 8192 + 4096 + 4096 * 4096 + 4096)
    assert memory.categories.parameter == pytest.approx(parameters, rel=0.01)
    assert memory.categories.optimizer == pytest.approx(2 * parameters, rel=0.01)
    # Workspaces that only C++ holds are in the allocator's peak and in no category.
    assert memory.categories.total <= memory.peak_bytes * 1.01
    assert memory.categories.total >= memory.peak_bytes * 0.9


def test_the_clean_step_is_what_cuda_events_say(run: Any) -> None:
    result = run(
        STEP
        + """\
previous = None
for _ in range(200):
    step()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    if previous is not None:
        event.synchronize()
        print(json.dumps({"ms": previous.elapsed_time(event)}), flush=True)
    previous = event
""",
        steps=30,
    )
    # Warm-up and instruments are in the list too; the clean steps are most of it.
    own = statistics.median(entry["ms"] for entry in result.said)
    assert result.profile.step_ms.median == pytest.approx(own, rel=0.05)


def test_busy_time_is_the_sum_of_torchs_own_profiler(run: Any, tmp_path: Path) -> None:
    profile = run(STEP + "for _ in range(60):\n    step()\n").profile
    theirs = tmp_path / "theirs.py"
    theirs.write_text(
        STEP
        + """\
for _ in range(10):
    step()
activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
with torch.profiler.profile(activities=activities) as profiler:
    for _ in range(5):
        step()
    torch.cuda.synchronize()
busy = sum(
    event.self_device_time_total
    for event in profiler.key_averages()
    if event.device_type == torch.autograd.DeviceType.CUDA and not event.is_user_annotation
)
print(json.dumps({"ms": busy / 1e3 / 5}))
""",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(theirs)], capture_output=True, text=True, check=True)
    wanted = json.loads(done.stdout.strip().splitlines()[-1])["ms"]
    steps = profile.totals.span_ms / (profile.step_ms.median * profile.tax)
    assert profile.totals.device_busy_ms / steps == pytest.approx(wanted, rel=0.05)
    work = sum(line.work_ms for line in profile.lines) + profile.unattributed.work_ms
    assert work == pytest.approx(min(wanted, profile.step_ms.median), rel=0.05)
