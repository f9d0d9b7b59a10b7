"""Copies what nobody changes."""

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
    for _ in range(100_000):
        loss = model(x, table)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
