"""Noise is predicted in training; sampling every second epoch runs the model 20 times in a row."""
# steps: backward
from time import time_ns

import torch
from torch import nn

TIMES = 20
betas = torch.linspace(1e-3, 0.2, TIMES)
kept = (1 - betas).cumprod(0)
model = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2))


def predict(x, t):
    return model(torch.cat([x, t.unsqueeze(1) / TIMES], 1))


@torch.no_grad()
def sample(count):
    x = torch.randn(count, 2)
    for t in reversed(range(TIMES)):
        noise = predict(x, torch.full((count,), t))
        x = (x - betas[t] / (1 - kept[t]).sqrt() * noise) / (1 - betas[t]).sqrt()
        if t > 0:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x


for epoch in range(40):
    for batch in torch.rand(10, 16, 2):  # step loop
        print("pass", time_ns(), flush=True)
        t = torch.randint(0, TIMES, (16,))
        noise = torch.randn_like(batch)
        noisy = kept[t].sqrt().unsqueeze(1) * batch + (1 - kept[t]).sqrt().unsqueeze(1) * noise
        loss = (predict(noisy, t) - noise).square().mean()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.05 * p.grad
                p.grad = None
    if epoch % 2 == 0:
        print(epoch, sample(8).mean().item())
