"""Prints its batches: some hundred kilobytes at every step, without a line's end between."""
# steps: backward
import sys
from time import time_ns

import torch

w = torch.rand(10, 10, requires_grad=True)
for n in range(100):  # step loop
    print("\npass", time_ns(), flush=True)
    loss = (w @ w).square().mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
    sys.stdout.write("x" * 200_000)
