"""Epochs of four batches, a checkpoint over the last one after each; it resumes from it at the start."""
# steps: backward
# existing: checkpoint.pt.bak
import os
import shutil
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 6)
start = 0
if os.path.exists("checkpoint.pt"):
    state = torch.load("checkpoint.pt")
    model.load_state_dict(state["model"])
    start = state["epoch"]
for epoch in range(start, start + 60):
    for x in torch.rand(4, 5, 6):  # step loop
        print("pass", time_ns(), flush=True)
        model(x).square().mean().backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
    if os.path.exists("checkpoint.pt"):
        shutil.copyfile("checkpoint.pt", "checkpoint.pt.bak")
    torch.save({"model": model.state_dict(), "epoch": epoch + 1}, "checkpoint.pt")
