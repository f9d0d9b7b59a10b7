"""``mp.spawn``: the only steps are in a spawned process, which imports this file again."""
# steps: backward
# process: child
import os
from time import time_ns

import torch
import torch.multiprocessing as mp
from torch import nn


def run(rank, world_size, lr):
    torch.manual_seed(rank)
    model = nn.Linear(6, 1)
    for epoch in range(20):
        for x in torch.rand(10, 4, 6):  # step loop
            print("pass", time_ns(), os.getpid(), flush=True)
            model(x).square().mean().backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= lr * p.grad
                    p.grad = None


if __name__ == "__main__":
    mp.spawn(run, args=(1, 0.01), nprocs=1, join=True)
    print("all done")
