"""A loop that ends when the loss no longer falls."""
# steps: backward
from time import time_ns

import torch

a, b = torch.rand(30, 30), torch.rand(30, 1)
x = torch.zeros(30, 1, requires_grad=True)
last, patience, passes = float("inf"), 0, 0
while patience < 50 and passes < 800:  # step loop
    print("pass", time_ns(), flush=True)
    loss = (a @ x - b).square().sum()
    loss.backward()
    with torch.no_grad():
        x.add_(x.grad, alpha=-1e-4)
    x.grad.zero_()
    patience = patience + 1 if loss.item() >= last - 1e-12 else 0
    last = min(last, loss.item())
    passes += 1
