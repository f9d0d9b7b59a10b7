"""Names with quotes, a backslash, spaces and letters beyond ASCII, in the path and in the code."""
# steps: optimizer
# run as: o'neil "v2" 模型/обучение \ ü🙂.py
from time import time_ns

import torch
from torch import nn


class Größe(nn.Module):
    def __init__(self):
        super().__init__()
        self.слой = nn.Linear(6, 6)

    def forward(self, x):
        return self.слой(x)


modèle = Größe()
optimizer = torch.optim.SGD(modèle.parameters(), lr=0.01)
for n in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    optimizer.zero_grad()
    with torch.profiler.record_function('a "quoted" \\ näme\n'):
        loss = modèle(torch.rand(4, 6)).square().mean()
    loss.backward()
    optimizer.step()
