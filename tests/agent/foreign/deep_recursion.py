"""A network over nested lists, deep enough to come near the limit of recursion."""
# steps: backward
from time import time_ns

import torch
from torch import nn

DEPTH = 930
cell = nn.Linear(4, 4)
tree = []
for n in range(DEPTH):
    tree = [tree]


def embed(tree, x):
    if not tree:
        return torch.tanh(torch.addmm(cell.bias, x, cell.weight))
    return embed(tree[0], x) * 0.999


for n in range(60):  # step loop
    print("pass", time_ns(), flush=True)
    loss = embed(tree, torch.rand(2, 4)).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in cell.parameters():
            p -= 0.1 * p.grad
            p.grad = None
