"""The overhead-bound step: 16 small residual blocks, some 160 line events in a few milliseconds.

``mlp.py STEPS`` trains and prints the median time of a step as JSON.
"""

import json
import statistics
import sys
import time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width)
        self.outer = nn.Linear(2 * width, width)

    def forward(self, x):
        h = self.norm(x)
        h = self.inner(h)
        h = nn.functional.gelu(h)
        h = self.outer(h)
        return x + h


class Stack(nn.Module):
    def __init__(self, depth=16, width=64):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Training:
    def __init__(self):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.model = Stack()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3)
        self.data = torch.randn(16, 64)

    def step(self):
        output = self.model(self.data)
        loss = output.square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(steps):
    training = Training()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        training.step()
        times.append(time.perf_counter() - start)
    ordered = times[len(times) // 5 :]
    print(json.dumps({"step_ms": statistics.median(ordered) * 1e3}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
