"""Writes many numbers into a log in each step."""

import io

import torch
from torch import nn


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(16, 64)
    log = io.StringIO()
    for _ in range(100_000):
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        row = model[0].weight[:64].flatten()
        log.write(" ".join(map(str, row.tolist())))  # expect: log-every-step
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
