"""A longer evaluation loop inside the training loop, at every fifth step."""
# steps: backward
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
held_out = torch.rand(12, 8, 10)


def estimate_loss():
    losses = []
    for x in held_out:
        with torch.no_grad():
            losses.append(model(x).square().mean())
    return torch.stack(losses).mean().item()


for step in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    if step % 5 == 0:
        print(step, estimate_loss())
    model(torch.rand(8, 10)).square().mean().backward()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(p.grad, alpha=-0.01)
            p.grad = None
