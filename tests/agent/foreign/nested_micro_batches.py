"""Epochs over batches over micro-batches: the optimizer steps once per batch."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
data = torch.rand(128, 10)

for epoch in range(40):
    for batch in data.split(32):  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        for micro in batch.split(8):
            loss = model(micro).square().mean() / 4
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        for chunk in data.split(64):
            model(chunk)
