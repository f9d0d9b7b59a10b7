"""Writes all outputs into a log in each step, and copies what nobody changes."""

import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 1024)

    def forward(self, x, table):
        copied = table.clone()  # expect: redundant-clone
        return self.first(x).square().mean() + copied.mean()


def steps():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, table = torch.randn(16, 64), torch.randn(4_000_000)
    log = io.StringIO()
    for _ in range(100_000):
        loss = model(x, table)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        row = model.first.weight[:64].flatten()
        log.write(" ".join(map(str, row.tolist())))  # expect: log-every-step
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
