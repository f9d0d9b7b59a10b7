"""An optimizer without a fused implementation that updates one parameter after the other."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(32, 32) for _ in range(24)))
optimizer = torch.optim.NAdam(  # expect: optimizer-foreach
    model.parameters(),
    lr=1e-4,  # small
)
inputs = torch.randn(16, 32)


def step():
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


if __name__ == "__main__":
    for _ in range(60):
        step()
