"""Thirty-two threads share out what a few cores compute."""

import torch
from torch import nn

torch.set_num_threads(32)  # expect: thread-count


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(256, 64)
    for _ in range(100_000):
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
