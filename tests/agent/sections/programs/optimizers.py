"""An optimizer in single operators, and gradients whose norms are computed one by one."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(32, 32) for _ in range(24)))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)  # expect: optimizer-fused
inputs = torch.randn(16, 32)


def step():
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)  # expect: clip-grad-loop
    optimizer.step()
    return loss.detach()


if __name__ == "__main__":
    for _ in range(60):
        step()
