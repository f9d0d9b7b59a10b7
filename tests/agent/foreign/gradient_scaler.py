"""Autocast in bfloat16 and a GradScaler that calls the optimizer."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0)

for step in range(200):  # step loop
    print("pass", time_ns(), flush=True)
    x, y = torch.rand(16, 16), torch.randint(0, 4, (16,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
