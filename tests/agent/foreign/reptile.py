"""A few ordinary steps per task with an optimizer made for it, then a move towards where they led."""
# steps: optimizer
import copy
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))


def learn(task_model, phase):
    optimizer = torch.optim.SGD(task_model.parameters(), lr=0.02)
    x = 6 * torch.rand(10, 1)
    for _ in range(5):  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        loss = (task_model(x) - (x + phase).sin()).square().mean()
        loss.backward()
        optimizer.step()
    return task_model


for iteration in range(60):
    moved = learn(copy.deepcopy(model), 3 * torch.rand(1))
    with torch.no_grad():
        for p, q in zip(model.parameters(), moved.parameters()):
            p += 0.1 * (q - p)
