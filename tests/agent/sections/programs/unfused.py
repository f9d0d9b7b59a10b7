"""Attention and a layer norm in single operators."""

import math

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, LENGTH = 64, 4, 144


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.gain = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        x = self.qkv(self.norm(x)).unflatten(2, (3, HEADS, -1))
        q, k, v = x.permute(2, 0, 3, 1, 4).contiguous()
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(WIDTH // HEADS)
        scores = F.softmax(scores, dim=-1)  # expect: unfused-attention
        y = scores @ v
        return self.norm(y.transpose(1, 2).flatten(2))

    def norm(self, x):
        mean = x.mean(-1, keepdim=True)  # expect: unfused-norm
        spread = (x - mean).pow(2).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(spread + 1e-5) * self.gain


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
inputs = torch.randn(8, LENGTH, WIDTH)


def step():
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


if __name__ == "__main__":
    for _ in range(60):
        step()
