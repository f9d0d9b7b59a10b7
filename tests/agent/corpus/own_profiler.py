"""A script with a torch.profiler of its own: it stays quiet, and its step() is taken as the mark."""
# steps: explicit
import torch
from torch.profiler import ProfilerActivity, profile, schedule

w = torch.nn.Parameter(torch.rand(3, 9))
opt = torch.optim.SGD([w], lr=1e-3)

with profile(
    activities=[ProfilerActivity.CPU],
    schedule=schedule(wait=1, warmup=1, active=2),
    record_shapes=True,
) as profiler:
    for step in range(60):
        opt.zero_grad()
        loss = w.sin().exp().sum()  # plant: aten::sin 3x9; aten::exp 3x9  # backward: SinBackward0; ExpBackward0; SumBackward0
        loss.backward()
        opt.step()  # plant: aten::add_ 3x9
        profiler.step()
