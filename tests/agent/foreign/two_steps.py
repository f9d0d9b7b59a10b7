"""Two steps in all, which is enough for a measurement."""
# steps: backward
# flags: short
from time import time_ns

import torch

w = torch.rand(20, 20, requires_grad=True)
for epoch in range(2):  # step loop
    print("pass", time_ns(), flush=True)
    loss = (w @ w).square().mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
