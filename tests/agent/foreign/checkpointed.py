"""Activation checkpointing, of both kinds: blocks run again inside the backward pass."""
# steps: backward
from time import time_ns

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

blocks = nn.ModuleList(nn.Sequential(nn.Linear(12, 12), nn.Tanh()) for _ in range(4))
head = nn.Linear(12, 1)
for step in range(200):  # step loop
    print("pass", time_ns(), flush=True)
    x = torch.rand(8, 12, requires_grad=True)
    for number, block in enumerate(blocks):
        x = checkpoint(block, x, use_reentrant=number % 2 == 0)
    loss = head(x).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in [*blocks.parameters(), *head.parameters()]:
            p -= 0.01 * p.grad
            p.grad = None
