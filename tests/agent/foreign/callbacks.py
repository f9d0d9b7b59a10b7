"""A little event system of the script's own: the training step is one of several callbacks."""
# steps: backward
from time import time_ns

import torch
from torch import nn


class Events:
    def __init__(self):
        self.handlers = {"batch": [], "epoch": []}

    def on(self, name):
        def add(function):
            self.handlers[name].append(function)
            return function

        return add

    def fire(self, name, *arguments):
        for handler in self.handlers[name]:
            handler(*arguments)

    def run(self, data, epochs):
        for epoch in range(epochs):
            for batch in data:  # step loop
                self.fire("batch", batch)
            self.fire("epoch", epoch)


events = Events()
model = nn.Linear(9, 3)
seen = []


@events.on("batch")
def count(batch):
    print("pass", time_ns(), flush=True)
    seen.append(len(batch))


@events.on("batch")
def train(batch):
    loss = model(batch).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None


@events.on("batch")
def watch(batch):
    assert all(p.isfinite().all() for p in model.parameters())


@events.on("epoch")
def report(epoch):
    print("epoch", epoch, sum(seen))


events.run([torch.rand(5, 9) for _ in range(12)], 40)
