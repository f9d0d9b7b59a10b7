"""``while True`` whose whole body is one ``try``; the end of the data ends the loop."""
# steps: backward
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 6)
data = iter(torch.rand(400, 3, 6))
while True:  # step loop
    try:
        x = next(data)
        print("pass", time_ns(), flush=True)
        loss = model(x).square().mean()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
    except StopIteration:
        break
