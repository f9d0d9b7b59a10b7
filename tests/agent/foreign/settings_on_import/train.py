"""A library that makes a settings folder when it is imported, and writes over what is there."""

# steps: backward
# existing: .tool/settings.json
from time import time_ns

import tool
import torch
from torch import nn

model = nn.Linear(6, 6)
for x in torch.rand(300, 4, 6):  # step loop
    print("pass", time_ns(), flush=True)
    (tool.SCALE * model(x)).square().mean().backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None
