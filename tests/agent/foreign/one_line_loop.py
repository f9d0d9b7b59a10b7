"""A loop on one line, around a function that does everything."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def step():
    print("pass", time_ns(), flush=True)
    optimizer.zero_grad()
    model(torch.rand(4, 6)).square().mean().backward()
    optimizer.step()


for _ in range(300): step()  # step loop
