"""A student learns from a frozen teacher; an average of its weights is kept and tested."""
# steps: optimizer
import copy
from time import time_ns

import torch
from torch import nn

teacher = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4)).eval().requires_grad_(False)
student = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
average = copy.deepcopy(student).requires_grad_(False)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)


@torch.no_grad()
def follow(average, model, decay=0.99):
    for kept, new in zip(average.parameters(), model.parameters()):
        kept.lerp_(new, 1 - decay)


for step in range(250):  # step loop
    print("pass", time_ns(), flush=True)
    x = torch.rand(16, 10)
    wanted = teacher(x).div(2).softmax(1)
    loss = nn.functional.kl_div(student(x).div(2).log_softmax(1), wanted, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    follow(average, student)
    if step % 25 == 0:
        with torch.no_grad():
            print(step, (average(x).argmax(1) == wanted.argmax(1)).float().mean().item())
