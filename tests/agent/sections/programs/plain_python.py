"""A line of plain Python in the step, and elementwise operators in a row."""

import torch
from torch import nn


def activation(x):
    y = x * 0.5  # expect: pointwise-chain
    y = y.exp()
    y = y + 1.0
    y = y.reciprocal()
    return y.tanh()


torch.manual_seed(0)
layer = nn.Linear(64, 64)
optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)
words = [str(number) for number in range(60_000)]
for _ in range(60):
    known = {word: len(word) for word in words}  # expect: slow-python
    loss = activation(layer(torch.randn(8192, 64))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
