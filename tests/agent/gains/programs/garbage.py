"""Collects garbage by hand in each step, with many objects to look at."""

import gc

import torch
from torch import nn

kept = [[number] for number in range(200_000)]


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(16, 64)
    for _ in range(100_000):
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gc.collect()  # expect: gc-in-step
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
