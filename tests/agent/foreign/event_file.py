"""A log of its own that is opened once and appended to at every step, and an index written anew."""
# steps: backward
# existing: runs/events.bin, runs/index.json
import json
import os
import struct
from time import time_ns

import torch
from torch import nn


class Writer:
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.file = open(os.path.join(folder, "events.bin"), "ab")
        self.index = os.path.join(folder, "index.json")

    def scalar(self, step, value):
        self.file.write(struct.pack("<Qd", step, value))
        self.file.flush()
        with open(self.index, "w") as file:
            json.dump({"last": step}, file)


writer = Writer("runs")
model = nn.Linear(6, 6)
for step in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    loss = model(torch.rand(4, 6)).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None
    writer.scalar(step, loss.item())
