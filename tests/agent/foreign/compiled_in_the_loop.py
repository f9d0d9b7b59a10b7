"""``torch.compile`` is called inside the loop when training has begun; a new shape compiles again."""
# steps: backward
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
forward = model
for step in range(200):  # step loop
    print("pass", time_ns(), flush=True)
    if step == 2:
        forward = torch.compile(model, backend="eager", dynamic=False)
    rows = 8 if step % 20 else 5
    loss = forward(torch.rand(rows, 10)).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None
