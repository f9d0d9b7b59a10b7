"""So many new objects in each step that the collector looks at the old ones, too, every time."""

import torch
from torch import nn

kept = [[number] for number in range(400_000)]


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(16, 64)
    words = []
    for _ in range(100_000):
        words.append([[number] for number in range(120_000)])
        del words[:-2]
        loss = (model(x) - 1).square().mean()  # expect: gc-pauses
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
