"""Batches come from a generator function that never ends; the loop leaves by ``break``."""
# steps: backward
from time import time_ns

import torch
from torch import nn


def batches(size):
    while True:
        order = torch.randperm(64)
        for first in range(0, 64, size):
            chosen = order[first : first + size]
            yield DATA[chosen], LABELS[chosen]


DATA, LABELS = torch.rand(64, 8), torch.rand(64, 1)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 1))
done = 0
for inputs, labels in batches(16):  # step loop
    print("pass", time_ns(), flush=True)
    loss = nn.functional.mse_loss(model(inputs), labels)
    loss.backward()
    for p in model.parameters():
        p.data -= 0.05 * p.grad
        p.grad = None
    done += 1
    if done >= 400:
        break
