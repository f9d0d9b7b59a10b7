"""Profiles one forward pass by itself and prints the table, before it trains."""
# steps: optimizer
# says: profiler
from time import time_ns

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function

model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function("model_inference"):
        model(torch.rand(4, 6))
print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=5))

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(200):  # step loop
    print("pass", time_ns(), flush=True)
    optimizer.zero_grad()
    model(torch.rand(4, 6)).square().mean().backward()
    optimizer.step()
