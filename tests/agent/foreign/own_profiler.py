"""A profiler of the script's own with a schedule, around the first steps of an ordinary loop."""
# steps: explicit
# says: profiler
from time import time_ns

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

model = nn.Linear(6, 6)


def ready(prof):
    print(prof.key_averages().table(row_limit=3))


with profile(
    activities=[ProfilerActivity.CPU],
    schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
    on_trace_ready=ready,
) as prof:
    for step in range(60):  # step loop
        print("pass", time_ns(), flush=True)
        model(torch.rand(4, 6)).square().mean().backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
        prof.step()
