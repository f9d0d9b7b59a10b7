"""One step calls its closure many times: many backward passes, one optimizer step."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 6, 40).unsqueeze(1)
model = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=6)

for i in range(60):  # step loop
    print("pass", time_ns(), flush=True)

    def closure():
        optimizer.zero_grad()
        loss = (model(x) - x.sin()).square().mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    with torch.no_grad():
        print(f"{i}: {(model(x) - x.sin()).square().mean().item():.5f}")
