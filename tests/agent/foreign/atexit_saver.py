"""``atexit`` saves over the last weights."""
# steps: optimizer
# existing: weights.pt
import atexit
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def save():
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "weights.pt")
    print("saved at exit", flush=True)


atexit.register(save)
for n in range(3000):  # step loop
    print("pass", time_ns(), flush=True)
    optimizer.zero_grad()
    model(torch.rand(4, 6)).square().mean().backward()
    optimizer.step()
