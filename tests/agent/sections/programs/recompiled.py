"""A compiled function that depends on a word, and words that differ in the first steps."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(256, 256)
optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)


@torch.compile(backend="eager", dynamic=False)  # expect: recompiles
def scaled(x, word):
    return x if word == "b" else x + 1


for number in range(60):
    x = scaled(torch.randn(512, 256), "abcdefghijklmnop"[max(0, 6 - number)])
    loss = layer(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
