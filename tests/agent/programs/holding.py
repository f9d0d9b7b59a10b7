"""One loop that holds on to memory. Each marked line carries that hint, no other."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(128, 128) for _ in range(10)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return x


def seen(loss):
    """Called once a step. The test that measures this program puts its own in this place."""


def main(steps=300):
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    history = []
    for _ in range(steps):
        x = torch.randn(1024, 128)
        loss = (net(x) - x).square().mean()
        features = x.repeat(1, 3)  # expect: held-tensors
        history.append(features)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  # expect: retain-graph
        optimizer.step()
        seen(loss)
    return history


if __name__ == "__main__":
    main()
