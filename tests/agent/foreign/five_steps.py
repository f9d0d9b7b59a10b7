"""Five steps in all: the passes of a measurement must fit into them."""
# steps: optimizer
# flags: short
from time import time_ns

import torch
from torch import nn

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.rand(5, 8, 10):  # step loop
    print("pass", time_ns(), flush=True)
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
