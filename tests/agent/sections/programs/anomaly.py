"""Somebody looked for a NaN and left the search on."""

import torch
from torch import nn

torch.manual_seed(0)
torch.autograd.set_detect_anomaly(True)  # expect: anomaly-mode
model = nn.Sequential(*(nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(8)))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
inputs = torch.randn(256, 64)


def step():
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


if __name__ == "__main__":
    for _ in range(60):
        step()
