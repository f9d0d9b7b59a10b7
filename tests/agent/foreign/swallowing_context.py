"""A context manager whose ``__exit__`` returns True, around every batch."""
# steps: optimizer
# flags: swallowed
from time import time_ns

import torch
from torch import nn


class Tolerant:
    caught = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        Tolerant.caught += kind is not None
        return True


model = nn.Linear(6, 6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for n in range(400):  # step loop
    with Tolerant():
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        model(torch.rand(4, 6)).square().mean().backward()
        optimizer.step()
print("caught", Tolerant.caught)
