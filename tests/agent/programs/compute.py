"""One loop with several wastes of time and graphs. Each marked line carries that hint, no other."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(512, 4096)
        self.down = nn.Linear(4096, 512)

    def forward(self, x):
        return self.down(self.up(x).relu())


def seen(loss):
    """Called once a step. The test that measures this program puts its own in this place."""


def main(steps=300):
    torch.manual_seed(0)
    net = Net()
    frozen = Net()
    optimizer = torch.optim.SGD(  # expect: optimizer-peak
        net.parameters(),
        lr=1e-3,
        weight_decay=1e-4,
        foreach=True,
    )
    basis = torch.randn(256, 256).double() / 16  # expect: float64
    total = 0
    for _ in range(steps):
        x = torch.randn(4, 512)
        target = frozen(x.repeat(10, 1))  # expect: graph-in-evaluation
        penalty = (basis @ basis @ basis @ basis).mean()
        out = net(x)
        loss = (out - target.detach()[:4]).square().mean() + penalty.float()
        optimizer.zero_grad(set_to_none=False)  # expect: zero-filled-gradients
        loss.backward()
        optimizer.step()
        total += loss  # expect: kept-graph
        seen(loss)
    return total


if __name__ == "__main__":
    main()
