"""Handlers for SIGINT and SIGTERM that only set a flag: the script ends when it sees fit."""
# steps: backward
# existing: last.pt
import signal
from time import time_ns

import torch
from torch import nn

asked = False


def ask(number, frame):
    global asked
    asked = True


signal.signal(signal.SIGINT, ask)
signal.signal(signal.SIGTERM, ask)
model = nn.Linear(6, 6)
for n in range(100_000):  # step loop
    print("pass", time_ns(), flush=True)
    model(torch.rand(4, 6)).square().mean().backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None
    if asked:
        break
torch.save(model.state_dict(), "last.pt")
