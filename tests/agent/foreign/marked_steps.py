"""The script says itself where a step ends."""
# steps: explicit
from time import time_ns

import stepscope
import torch

w = torch.rand(10, 10, requires_grad=True)


def forward_and_update():
    (w @ w).square().mean().backward()
    with torch.no_grad():
        w.sub_(w.grad, alpha=1e-3)
        w.grad = None


for n in range(100):  # step loop
    for half in range(2):
        forward_and_update()
    print("pass", time_ns(), flush=True)
    stepscope.step()
