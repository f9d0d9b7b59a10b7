"""Fully connected networks: the variant is the first argument."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

VARIANT = sys.argv[1]
WIDTH = 256


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH) if VARIANT == "norm" else nn.Identity()
        self.linear = nn.Linear(WIDTH, WIDTH)
        self.drop = nn.Dropout(0.1 if VARIANT == "dropout" else 0.0)

    def forward(self, x):
        return x + self.drop(F.gelu(self.linear(self.norm(x))))


def make_optimizer(parameters):
    if VARIANT == "momentum":
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)
    return torch.optim.AdamW(parameters, lr=1e-3, fused=True)


model = nn.Sequential(nn.Linear(64, WIDTH), *(Block() for _ in range(6)), nn.Linear(WIDTH, 10))
optimizer = make_optimizer(model.parameters())
inputs, labels = torch.randn(4096, 64), torch.randint(10, (4096,))
total = torch.zeros(())
for _ in range(100):
    rows = torch.randint(4096, (192,))
    loss = F.cross_entropy(model(inputs[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    if VARIANT == "clipped":
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    total += loss.detach()
