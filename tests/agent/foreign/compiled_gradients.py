"""``torch.func.grad`` inside a compiled function: no graph break may come of our listening."""
# steps: backward
from time import time_ns

import torch


def energy(w, x):
    return torch.logsumexp(x @ w, 0).mean() + 0.1 * w.square().sum()


@torch.compile(backend="eager", fullgraph=True)
def update(w, x):
    return w - 0.1 * torch.func.grad(energy)(w, x)


w = torch.randn(5, 3)
for _ in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    w = update(w, torch.rand(20, 5))
