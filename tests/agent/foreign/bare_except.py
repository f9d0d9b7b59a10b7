"""A bare ``except`` in the loop goes on with the next batch, whatever was raised."""
# steps: backward
# flags: swallowed
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 6)
failed = 0
for n in range(400):  # step loop
    try:
        print("pass", time_ns(), flush=True)
        loss = model(torch.rand(4, 6)).square().mean()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
    except:
        failed += 1
print("failed:", failed)
