"""Finds its loss too high after three steps and leaves with a status."""
# fails: target-failed
# says: exit(3)
# existing: log.txt
import sys

import torch

w = torch.rand(6, 6, requires_grad=True)
for n in range(40):
    loss = (w @ w).square().mean()
    loss.backward()
    with torch.no_grad():
        w -= 1e-3 * w.grad
        w.grad = None
    if n == 2 and loss.item() > 0:
        with open("log.txt", "a") as file:
            file.write("gave up\n")
        sys.exit(3)  # fails here
