"""A compiled function with a print in it, and one that is compiled once."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(512, 512)  # large beside what a print takes
optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)


@torch.compile(backend="eager")
def forward(x):
    x = layer(x).relu()
    print(end="")  # expect: graph-break
    return x.square().mean()


@torch.compile(backend="eager", dynamic=False)
def scaled(x, words):
    return x * len(words)


for _ in range(60):
    loss = forward(scaled(torch.randn(1024, 512), "abc"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
