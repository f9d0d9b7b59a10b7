"""Training is a generator; the loop outside only reads the losses that it yields."""
# steps: backward
from time import time_ns

import torch
from torch import nn


def training(model, passes):
    for number in range(passes):  # step loop
        print("pass", time_ns(), flush=True)
        loss = model(torch.rand(6, 7)).pow(2).mean()
        loss.backward()
        for p in model.parameters():
            p.data.sub_(0.01 * p.grad)
            p.grad = None
        yield number, loss.item()


smooth = None
for number, value in training(nn.Linear(7, 7), 400):
    smooth = value if smooth is None else 0.9 * smooth + 0.1 * value
    if number % 100 == 0:
        print(number, smooth)
