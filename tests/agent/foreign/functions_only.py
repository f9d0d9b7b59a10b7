"""No module, no optimizer, no backward: ``torch.func.grad`` of a plain function."""
# steps: backward
from time import time_ns

import torch


def energy(w, x):
    return torch.logsumexp(x @ w, 0).mean() + 0.1 * w.square().sum()


slope = torch.func.grad(energy)
w = torch.randn(5, 3)
for _ in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    w = w - 0.1 * slope(w, torch.rand(20, 5))
