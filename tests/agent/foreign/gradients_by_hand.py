"""Plain gradient descent on what ``autograd.grad`` returns."""
# steps: backward
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
weights = list(model.parameters())
for epoch in range(30):
    for x in torch.rand(12, 6, 8):  # step loop
        print("pass", time_ns(), flush=True)
        gradients = torch.autograd.grad(model(x).square().mean(), weights)
        with torch.no_grad():
            for p, g in zip(weights, gradients):
                p -= 0.02 * g
    with torch.no_grad():
        print(epoch, model(torch.rand(50, 8)).mean().item())
