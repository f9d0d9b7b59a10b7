"""A tutorial's update: ``p.data.add_`` in a function that takes the learning rate."""
# steps: backward
from time import time_ns

import torch
from torch import nn

cell = nn.RNN(10, 16)
head = nn.Linear(16, 4)
criterion = nn.CrossEntropyLoss()


def train(category, word, rate):
    hidden, _ = cell(word)
    loss = criterion(head(hidden[-1]), category)
    loss.backward()
    for module in (cell, head):
        for p in module.parameters():
            p.data.add_(p.grad.data, alpha=-rate)
            p.grad.zero_()
    return loss.item()


total = 0.0
for iteration in range(1, 301):  # step loop
    print("pass", time_ns(), flush=True)
    word = torch.rand(6, 1, 10)
    total += train(torch.randint(0, 4, (1,)), word, 0.005)
    if iteration % 50 == 0:
        print(iteration, total / 50)
        total = 0.0
