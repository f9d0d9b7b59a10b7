"""A step whose costs are known: each planted line is also timed by itself, on the same tensors.

``planted.py``            trains, to be profiled
``planted.py --direct``   times the steps and, in turns with them, each planted expression alone:
                          forward by running it, backward by ``torch.autograd.grad`` of it alone;
                          prints ``{"step_ms": ..., "lines": {mark: [forward_ms, backward_ms]}}``
"""

import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.set_num_threads(1)
torch.manual_seed(0)


def parameter(*shape):
    return nn.Parameter(torch.randn(*shape) * 0.02)


class Planted(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.deep = parameter(768, 768), parameter(384, 384)
        self.scale = parameter(1, 1024)
        self.kernel = parameter(32, 16, 3, 3)
        self.table = parameter(20_000, 64)

    def forward(self, data):
        wide = data["wide"] @ self.wide  # plant: matmul 768
        deep = data["deep"] @ self.deep  # plant: matmul 384
        chain = torch.tanh(data["flat"] * self.scale).exp()  # plant: elementwise
        picture = F.conv2d(data["image"], self.kernel)  # plant: conv
        words = F.embedding(data["ids"], self.table)  # plant: embedding
        return wide, deep, chain, picture, words


def count(turns):
    total = 0
    for turn in range(turns):  # plant: python
        total += turn % 7  # plant: python
    return total


model = Planted()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, foreach=True)
data = {
    "wide": torch.randn(256, 768),
    "deep": torch.randn(512, 384),
    "flat": torch.randn(1024, 1024),
    "image": torch.randn(8, 16, 48, 48),
    "ids": torch.randint(20_000, (16, 256)),
}
TURNS = 60_000


def step():
    outputs = model(data)
    loss = sum(output.sum() for output in outputs)
    count(TURNS)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # plant: optimizer


EXPRESSIONS = {
    "matmul 768": (lambda: data["wide"] @ model.wide, model.wide),
    "matmul 384": (lambda: data["deep"] @ model.deep, model.deep),
    "elementwise": (lambda: torch.tanh(data["flat"] * model.scale).exp(), model.scale),
    "conv": (lambda: F.conv2d(data["image"], model.kernel), model.kernel),
    "embedding": (lambda: F.embedding(data["ids"], model.table), model.table),
    "python": (lambda: count(TURNS), None),
    "optimizer": (optimizer.step, None),
}


def timed(function):
    start = time.perf_counter()
    result = function()
    return (time.perf_counter() - start) * 1e3, result


def direct(turns):
    steps, forward, backward = [], {}, {}
    for _ in range(5):
        step()
    for _ in range(turns):
        step()  # after the single expressions the caches are cold
        steps.append(timed(step)[0])
        for mark, (expression, weight) in EXPRESSIONS.items():
            ms, output = timed(expression)
            forward.setdefault(mark, []).append(ms)
            if weight is not None:
                # The gradient of a sum: one number seen as a whole tensor, as in the step.
                gradient = torch.ones(()).expand_as(output)
                ms, _ = timed(lambda: torch.autograd.grad(output, weight, gradient))  # noqa: B023
                backward.setdefault(mark, []).append(ms)
    lines = {
        mark: [
            statistics.median(forward[mark]),
            statistics.median(backward[mark]) if mark in backward else 0.0,
        ]
        for mark in EXPRESSIONS
    }
    print(json.dumps({"step_ms": statistics.median(steps), "lines": lines}))


if __name__ == "__main__":
    if "--direct" in sys.argv:
        direct(15)
    else:
        for _ in range(200):
            step()
