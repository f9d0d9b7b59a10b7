"""Trains in forked processes that share the weights; the parent only waits and tests."""
# steps: optimizer
# process: child
# flags: swallowed
import os
from time import time_ns

import torch
import torch.multiprocessing as mp
from torch import nn


def train(rank, model):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for n in range(200):  # step loop
        print("pass", time_ns(), os.getpid(), flush=True)
        optimizer.zero_grad()
        model(torch.rand(8, 6)).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    model.share_memory()
    context = mp.get_context("fork")
    workers = [context.Process(target=train, args=(rank, model)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with torch.no_grad():
        print("after:", model(torch.rand(8, 6)).mean().item())
